package org.sparkcsql.stream

import org.sparkcsql.plan.{StreamClock, StreamProgram}

/** Before which instant, in milliseconds, an operator will give no more rows. */
object OutputWatermark {
  def apply(spec: StreamSpec, watermark: Long): Long = (spec.program, spec.clock) match {
    // the last tuple of a slot keeps its own time, and comes when the slot is over
    case (StreamProgram.LastOfSlot(grid), StreamClock.Watermark(unit, _)) =>
      unit.toMillis(grid.tickAtOrAfter(unit.fromMillis(watermark)) - grid.step)
    // so does the last tuple of the slots of several windows, when the longest of them is over
    case (slides: StreamProgram.Slides, StreamClock.Watermark(unit, _)) if slides.grids.nonEmpty =>
      val complete = unit.fromMillis(watermark)
      unit.toMillis(slides.grids.map(grid => grid.tickAtOrAfter(complete) - grid.step).min)
    case _ => watermark
  }
}
