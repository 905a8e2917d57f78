package org.sparkcsql.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.apache.parquet.column.ColumnReadStore;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.MessageType;

/** Reads parquet files column by column, which makes no objects but the events. */
final class Files {
  private final Consumer<Reading> events;
  private long number = 0;

  Files(Consumer<Reading> events) {
    this.events = events;
  }

  void read(Path file) throws IOException {
    try (ParquetFileReader reader = ParquetFileReader.open(new LocalInputFile(file))) {
      MessageType schema = reader.getFileMetaData().getSchema();
      String writer = reader.getFileMetaData().getCreatedBy();
      for (PageReadStore rows = reader.readNextRowGroup(); rows != null; rows = reader.readNextRowGroup()) {
        read(new ColumnReadStoreImpl(rows, new NoRecords(), schema, writer), schema, rows.getRowCount());
      }
    }
  }

  private void read(ColumnReadStore columns, MessageType schema, long rows) {
    ColumnReader id = column(columns, schema, "id");
    ColumnReader site = column(columns, schema, "site");
    ColumnReader load = column(columns, schema, "load");
    ColumnReader micros = column(columns, schema, "ts");
    for (long row = 0; row < rows; row++) {
      number += 1;
      events.accept(
          new Reading(number, id.getInteger(), site.getInteger(), load.getDouble(), micros.getLong() / 1000));
      id.consume();
      site.consume();
      load.consume();
      micros.consume();
    }
  }

  private static ColumnReader column(ColumnReadStore columns, MessageType schema, String name) {
    return columns.getColumnReader(schema.getColumnDescription(new String[] {name}));
  }

  /** The store wants to know where records would go. */
  private static final class NoRecords extends GroupConverter {
    @Override
    public Converter getConverter(int field) {
      return new PrimitiveConverter() {};
    }

    @Override
    public void start() {}

    @Override
    public void end() {}
  }
}
