package org.sparkcsql.bench;

/** An answer: its time in microseconds, its key (0 if it has none) and its value. */
public final class Answer {
  public long time;
  public int key;
  public double value;

  public Answer() {}

  public Answer(long time, int key, double value) {
    this.time = time;
    this.key = key;
    this.value = value;
  }
}
