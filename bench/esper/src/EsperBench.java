package org.sparkcsql.bench;

import com.espertech.esper.common.client.EPCompiled;
import com.espertech.esper.common.client.configuration.Configuration;
import com.espertech.esper.compiler.client.CompilerArguments;
import com.espertech.esper.compiler.client.EPCompilerProvider;
import com.espertech.esper.runtime.client.EPEventService;
import com.espertech.esper.runtime.client.EPRuntime;
import com.espertech.esper.runtime.client.EPRuntimeProvider;
import com.espertech.esper.runtime.client.EPStatement;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Replays parquet files as a stream through statements, and prints what it took as JSON. The arguments are three times in
 * microseconds (of the stream's start, from when on the clock runs, until when answers are checked), whether Esper's clock
 * follows the events (clock, or no-clock), the statements, of which the last one answers, and the files.
 */
public final class EsperBench {
  private static final long MINUTE = 60_000;

  public static void main(String[] arguments) throws Exception {
    long start = Long.parseLong(arguments[0]);
    Check check = new Check(start, Long.parseLong(arguments[1]), Long.parseLong(arguments[2]));
    EPRuntime runtime = runtime(start / 1000, arguments[4], check);
    EPEventService service = runtime.getEventService();
    Files files = new Files(arguments[3].equals("clock") ? withClock(service, start / 1000) : send(service));
    for (int i = 5; i < arguments.length; i++) {
      files.read(Path.of(arguments[i]));
    }
    System.out.println(check.told(System.nanoTime()));
    runtime.destroy();
  }

  private static EPRuntime runtime(long startMillis, String statements, Check check) throws Exception {
    Configuration configuration = new Configuration();
    configuration.getCommon().addEventType(Reading.class);
    configuration.getCommon().addEventType(Tick.class);
    configuration.getCompiler().getByteCode().setAllowSubscriber(true);
    configuration.getRuntime().getThreading().setInternalTimerEnabled(false);
    EPCompiled compiled =
        EPCompilerProvider.getCompiler().compile(statements, new CompilerArguments(configuration));
    EPRuntime runtime = EPRuntimeProvider.getDefaultRuntime(configuration);
    runtime.getEventService().advanceTime(startMillis);
    EPStatement[] deployed = runtime.getDeploymentService().deploy(compiled).getStatements();
    deployed[deployed.length - 1].setSubscriber(check);
    return runtime;
  }

  private static Consumer<Reading> send(EPEventService service) {
    return reading -> service.sendEventBean(reading, "Reading");
  }

  /** Makes time go on with the events, and sends a tick at each full minute. */
  private static Consumer<Reading> withClock(EPEventService service, long startMillis) {
    long[] tick = {startMillis + MINUTE};
    return reading -> {
      while (reading.getTime() > tick[0]) {
        service.advanceTime(tick[0]);
        service.sendEventBean(new Tick(tick[0]), "Tick");
        tick[0] += MINUTE;
      }
      service.advanceTime(reading.getTime());
      service.sendEventBean(reading, "Reading");
    };
  }
}
