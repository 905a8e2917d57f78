package org.sparkcsql.bench;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.data.RowData;

/**
 * Replays parquet files as a stream through one question, and prints what it took as JSON. The arguments are the cores,
 * the state (heap, or the folder for RocksDB and its checkpoints), three times, the question with its two arguments, and
 * the files.
 */
public final class FlinkBench {
  public static void main(String[] arguments) throws Exception {
    int cores = Integer.parseInt(arguments[0]);
    Times times = Times.of(arguments[2], arguments[3], arguments[4]);
    List<String> question = Arrays.asList(arguments).subList(5, 8);
    List<String> files = Arrays.asList(arguments).subList(8, arguments.length);

    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(cores, configuration(cores, arguments[1]));
    DataStream<RowData> readings = Readings.of(environment, files);
    DataStream<Answer> answers = Questions.ask(environment, readings, question);
    answers.flatMap(new Check(times)).sinkTo(new DiscardingSink<>());
    JobExecutionResult result = environment.execute();
    System.out.println(Check.told(result, System.nanoTime()));
  }

  private static Configuration configuration(int cores, String state) {
    Configuration configuration = new Configuration();
    configuration.set(TaskManagerOptions.NUM_TASK_SLOTS, cores);
    configuration.set(PipelineOptions.OBJECT_REUSE, true);
    if (!state.equals("heap")) {
      configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
      configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(2048));
      configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
      configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(5));
      configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, "file://" + state);
    }
    return configuration;
  }
}
