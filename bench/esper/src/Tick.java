package org.sparkcsql.bench;

/** A full minute, in milliseconds. */
public final class Tick {
  private final long time;

  Tick(long time) {
    this.time = time;
  }

  public long getTime() {
    return time;
  }
}
