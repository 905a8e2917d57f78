package org.sparkcsql.bench;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.assigners.FileSplitAssigner;
import org.apache.flink.core.fs.Path;
import org.apache.flink.formats.parquet.ParquetColumnarRowInputFormat;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.hadoop.conf.Configuration;

/** The rows of the files in the order of time: by one reader, file after file. */
final class Readings {
  static final int ID = 0;
  static final int SITE = 1;
  static final int LOAD = 2;
  static final int MICROS = 3;

  private static final RowType TYPE =
      RowType.of(
          new LogicalType[] {new IntType(), new IntType(), new DoubleType(), new BigIntType()},
          new String[] {"id", "site", "load", "ts"});

  static DataStream<RowData> of(StreamExecutionEnvironment environment, List<String> files) {
    ParquetColumnarRowInputFormat<FileSourceSplit> format =
        new ParquetColumnarRowInputFormat<>(
            new Configuration(), TYPE, InternalTypeInfo.of(TYPE), 2048, true, true);
    FileSource<RowData> source =
        FileSource.forBulkFileFormat(format, files.stream().map(Path::new).toArray(Path[]::new))
            .setSplitAssigner(InOrder::new)
            .build();
    WatermarkStrategy<RowData> inTime =
        WatermarkStrategy.<RowData>forMonotonousTimestamps()
            .withTimestampAssigner((row, unknown) -> row.getLong(MICROS) / 1000);
    return environment.fromSource(source, inTime, "readings").setParallelism(1);
  }

  /** Gives out the files by name. */
  private static final class InOrder implements FileSplitAssigner {
    private final ArrayDeque<FileSourceSplit> waiting = new ArrayDeque<>();

    InOrder(Collection<FileSourceSplit> splits) {
      addSplits(splits);
    }

    @Override
    public Optional<FileSourceSplit> getNext(String host) {
      return Optional.ofNullable(waiting.poll());
    }

    @Override
    public void addSplits(Collection<FileSourceSplit> splits) {
      splits.stream()
          .sorted(
              Comparator.comparing((FileSourceSplit split) -> split.path().getName())
                  .thenComparing(FileSourceSplit::offset))
          .forEach(waiting::add);
    }

    @Override
    public Collection<FileSourceSplit> remainingSplits() {
      return List.copyOf(waiting);
    }
  }

  private Readings() {}
}
