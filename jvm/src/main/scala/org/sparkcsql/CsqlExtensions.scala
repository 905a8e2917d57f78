package org.sparkcsql

import org.apache.spark.sql.SparkSessionExtensions
import org.sparkcsql.aggregates.{ResolveAggregateCalls, ResolveAggregateStatements}
import org.sparkcsql.analyze._
import org.sparkcsql.batch.CsqlStrategy
import org.sparkcsql.catalog.ResolveStreamStatements
import org.sparkcsql.parse.{CsqlParser, ExpandStreamOperators}
import org.sparkcsql.queries.{CurrentFiles, ResolveQueryStatements}
import org.sparkcsql.source.{NameEndlessSources, SourceRelation}
import org.sparkcsql.storage.RestoreDefinitions

/** The table of contents: what is added to Spark, in the order in which a query meets it. */
class CsqlExtensions extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = InjectOnce(extensions) {
    extensions.injectParser(CsqlParser.wrap)
    extensions.injectFunction(CsqlVersion.function)
    extensions.injectFunction(EvaluationTime.function)
    extensions.injectTableFunction(SourceRelation.function)
    extensions.injectHintResolutionRule(RestoreDefinitions(_))
    extensions.injectHintResolutionRule(ExpandStreamOperators(_))
    extensions.injectHintResolutionRule(ResolveAggregateCalls(_))
    extensions.injectHintResolutionRule(_ => SetFramesAside)
    extensions.injectHintResolutionRule(_ => ResolveStreamStatements)
    extensions.injectHintResolutionRule(_ => ResolveQueryStatements)
    extensions.injectHintResolutionRule(_ => ResolveAggregateStatements)
    extensions.injectResolutionRule(_ => NameEndlessSources)
    extensions.injectResolutionRule(_ => ResolveEvaluationTime)
    extensions.injectPostHocResolutionRule(_ => ResolveLateStreams)
    extensions.injectPostHocResolutionRule(_ => ResolveBlocks)
    extensions.injectPostHocResolutionRule(_ => StreamingWindowFunctions)
    extensions.injectPostHocResolutionRule(_ => WatermarksApart)
    extensions.injectPostHocResolutionRule(CurrentFiles(_))
    extensions.injectCheckRule(_ => RequireOneAxis)
    extensions.injectOptimizerRule(_ => DeliverInOrder)
    extensions.injectPlannerStrategy(_ => CsqlStrategy)
  }
}
