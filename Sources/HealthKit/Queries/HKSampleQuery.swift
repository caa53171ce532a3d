public import Foundation
import HealthStorage

/// Asks for samples, once.
// @unchecked: as for HKQuery.
public final class HKSampleQuery: HKQuery, @unchecked Sendable {
  public typealias ResultsHandler = @Sendable (HKSampleQuery, [HKSample]?, (any Error)?) -> Void

  public let limit: Int
  /// As given; nil or empty for the order of the starts.
  public let sortDescriptors: [NSSortDescriptor]?
  private let question: Result<(SampleQuestion, SampleSorting), HKError>
  private let handler: ResultsHandler

  /// - Parameters:
  ///   - limit: `HKObjectQueryNoLimit` for all.
  ///   - sortDescriptors: on the start and end dates, of workouts also on what the `HKWorkoutSortIdentifier`s
  ///     stand for; any other is answered with errorInvalidArgument.
  ///   - resultsHandler: called once, with the samples or an error.
  @preconcurrency
  public init(
    sampleType: HKSampleType, predicate: NSPredicate?, limit: Int, sortDescriptors: [NSSortDescriptor]?,
    resultsHandler: @escaping ResultsHandler
  ) {
    self.limit = limit
    self.sortDescriptors = sortDescriptors
    let translation = predicate.map(PredicateTranslation.init)
    question = Result { () throws(HKError) -> (SampleQuestion, SampleSorting) in
      let question = try SampleQuestion(sampleType, translation)
      return (question, try SampleSorting(sortDescriptors ?? [], of: question.types))
    }
    handler = resultsHandler
    super.init(sampleType, translation)
  }

  /// Samples that match any of the descriptors, in the order of their starts.
  @preconcurrency
  public convenience init(
    queryDescriptors: [HKQueryDescriptor], limit: Int, resultsHandler: @escaping ResultsHandler
  ) {
    self.init(
      queryDescriptors: queryDescriptors, limit: limit, sortDescriptors: [], resultsHandler: resultsHandler)
  }

  /// Samples that match any of the descriptors.
  @preconcurrency
  public init(
    queryDescriptors: [HKQueryDescriptor], limit: Int, sortDescriptors: [NSSortDescriptor],
    resultsHandler: @escaping ResultsHandler
  ) {
    self.limit = limit
    self.sortDescriptors = sortDescriptors
    question = Result { () throws(HKError) -> (SampleQuestion, SampleSorting) in
      let question = try SampleQuestion(queryDescriptors)
      return (question, try SampleSorting(sortDescriptors, of: question.types))
    }
    handler = resultsHandler
    super.init(nil, nil)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let (question, sorting) = try question.get()
      let limit = limit == HKObjectQueryNoLimit ? nil : limit
      // What the store does not sort by is sorted in memory, before the limit is applied.
      let order = sorting.stored
      var samples: [HKSample] = try await store.fold(
        into: [], question, order: order ?? [.start(ascending: true)], limit: order == nil ? nil : limit
      ) { $0.append($1) }
      if order == nil { samples = Array(sorting.sorted(samples).prefix(limit ?? samples.count)) }
      await deliver { [samples] in self.handler(self, samples, nil) }
    } catch {
      await deliver { self.handler(self, nil, error) }
    }
  }
}
