package org.sparkcsql.bench;

import java.time.Duration;
import java.util.List;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.windowing.AllWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.apache.flink.streaming.api.windowing.evictors.TimeEvictor;
import org.apache.flink.streaming.api.windowing.triggers.CountTrigger;
import org.apache.flink.streaming.api.windowing.windows.GlobalWindow;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.util.Collector;

/** What is asked: SQL over cpu, or a window by tuples of the whole stream. */
final class Questions {
  static DataStream<Answer> ask(
      StreamExecutionEnvironment environment, DataStream<RowData> readings, List<String> question) {
    return switch (question.get(0)) {
      case "rows" -> readings.map(row -> new Answer(
          row.getLong(Readings.MICROS), row.getInt(Readings.ID), row.getDouble(Readings.LOAD)));
      case "sql" -> sql(environment, readings, question.get(1));
      case "jump" -> copied(readings)
          .countWindowAll(Long.parseLong(question.get(1)), Long.parseLong(question.get(2)))
          .apply(new Mean());
      case "mixed" -> copied(readings)
          .windowAll(GlobalWindows.create())
          .evictor(TimeEvictor.of(Duration.ofSeconds(Long.parseLong(question.get(1)))))
          .trigger(CountTrigger.of(Long.parseLong(question.get(2))))
          .apply(new Mean());
      default -> throw new IllegalArgumentException(question.get(0));
    };
  }

  private static DataStream<Answer> sql(
      StreamExecutionEnvironment environment, DataStream<RowData> readings, String query) {
    StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
    tables.getConfig().set("table.local-time-zone", "UTC");
    Schema schema =
        Schema.newBuilder()
            .columnByMetadata("rowtime", "TIMESTAMP_LTZ(3)")
            .watermark("rowtime", "SOURCE_WATERMARK()")
            .build();
    tables.createTemporaryView("cpu", readings, schema);
    Table answers = tables.sqlQuery(query);
    DataType[] columns = answers.getResolvedSchema().getColumnDataTypes().toArray(DataType[]::new);
    DataType unconverted = DataTypes.ROW(columns).bridgedTo(RowData.class);
    return tables.<RowData>toDataStream(answers, unconverted).map(Questions::answer);
  }

  private static Answer answer(RowData row) {
    return new Answer(row.getTimestamp(0, 3).getMillisecond() * 1000, row.getInt(1), row.getDouble(2));
  }

  /** Windows keep what they get, and the reader gives the same object again and again. */
  private static DataStream<Answer> copied(DataStream<RowData> readings) {
    return readings
        .map(row -> new Answer(row.getLong(Readings.MICROS), 0, row.getDouble(Readings.LOAD)))
        .setParallelism(1);
  }

  private static final class Mean implements AllWindowFunction<Answer, Answer, GlobalWindow> {
    @Override
    public void apply(GlobalWindow window, Iterable<Answer> readings, Collector<Answer> answers) {
      double sum = 0;
      long count = 0;
      long last = 0;
      for (Answer reading : readings) {
        sum += reading.value;
        count += 1;
        last = reading.time;
      }
      answers.collect(new Answer(last, 0, sum / count));
    }
  }

  private Questions() {}
}
