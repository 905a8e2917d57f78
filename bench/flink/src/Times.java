package org.sparkcsql.bench;

import java.io.Serializable;

/** Times of the stream in microseconds: of its start, from when on the clock runs, until when answers are checked. */
public record Times(long start, long counted, long settled) implements Serializable {
  static Times of(String start, String counted, String settled) {
    return new Times(Long.parseLong(start), Long.parseLong(counted), Long.parseLong(settled));
  }
}
