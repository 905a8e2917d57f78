package org.sparkcsql.bench;

/** An event: its number from 1 on, and its time in milliseconds. */
public final class Reading {
  private final long number;
  private final int id;
  private final int site;
  private final double load;
  private final long time;

  Reading(long number, int id, int site, double load, long time) {
    this.number = number;
    this.id = id;
    this.site = site;
    this.load = load;
    this.time = time;
  }

  public long getNumber() {
    return number;
  }

  public int getId() {
    return id;
  }

  public int getSite() {
    return site;
  }

  public double getLoad() {
    return load;
  }

  public long getTime() {
    return time;
  }
}
