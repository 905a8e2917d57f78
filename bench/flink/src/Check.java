package org.sparkcsql.bench;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.accumulators.DoubleCounter;
import org.apache.flink.api.common.accumulators.LongMinimum;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.util.Collector;

/** Takes the answers, adds up the sums of bench/answers.py and notes when the clock begins to run. */
final class Check extends RichFlatMapFunction<Answer, Answer> {
  private static final int SUMS = 5;

  private final Times times;
  private final LongMinimum began = new LongMinimum();
  private final DoubleCounter[] sums =
      IntStream.range(0, SUMS).mapToObj(i -> new DoubleCounter()).toArray(DoubleCounter[]::new);
  private boolean running = false;

  Check(Times times) {
    this.times = times;
  }

  @Override
  public void open(OpenContext context) {
    getRuntimeContext().addAccumulator("began", began);
    for (int i = 0; i < SUMS; i++) {
      getRuntimeContext().addAccumulator("sum" + i, sums[i]);
    }
  }

  @Override
  public void flatMap(Answer answer, Collector<Answer> nothing) {
    if (!running && answer.time >= times.counted()) {
      running = true;
      began.add(System.nanoTime());
    }
    if (answer.time < times.settled()) {
      double v = answer.value;
      sums[0].add(1);
      sums[1].add(v);
      sums[2].add(v * v);
      sums[3].add(v * ((answer.time - times.start()) / 1e9));
      sums[4].add(v * (answer.key + 1));
    }
  }

  static String told(JobExecutionResult result, long ended) {
    long began = result.<Long>getAccumulatorResult("began");
    String sums =
        IntStream.range(0, SUMS)
            .mapToObj(i -> String.valueOf(result.<Double>getAccumulatorResult("sum" + i)))
            .collect(Collectors.joining(", "));
    return String.format("{\"seconds\": %s, \"answer\": [%s]}", (ended - began) / 1e9, sums);
  }
}
