package org.sparkcsql.bench;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Takes the answers, adds up the sums of bench/answers.py and notes when the clock begins to run. */
public final class Check {
  private final long start;
  private final long counted;
  private final long settled;
  private final double[] sums = new double[5];
  private long began = 0;

  /** All times in microseconds. */
  Check(long start, long counted, long settled) {
    this.start = start;
    this.counted = counted;
    this.settled = settled;
  }

  /** Called by Esper with the columns of an answer; the time is in milliseconds. */
  public void update(Long millis, Integer key, Double value) {
    long time = millis * 1000;
    if (began == 0 && time >= counted) {
      began = System.nanoTime();
    }
    if (time < settled && value != null) {
      double v = value;
      sums[0] += 1;
      sums[1] += v;
      sums[2] += v * v;
      sums[3] += v * ((time - start) / 1e9);
      sums[4] += v * (key + 1);
    }
  }

  String told(long ended) {
    String answer = Arrays.stream(sums).mapToObj(String::valueOf).collect(Collectors.joining(", "));
    return String.format("{\"seconds\": %s, \"answer\": [%s]}", (ended - began) / 1e9, answer);
  }
}
