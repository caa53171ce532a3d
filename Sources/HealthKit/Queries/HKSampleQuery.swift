public import Foundation
import HealthStorage

/// A query that reads samples once.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
public final class HKSampleQuery: HKQuery, @unchecked Sendable {
  public typealias ResultsHandler = @Sendable (HKSampleQuery, [HKSample]?, (any Error)?) -> Void

  public let limit: Int
  /// The sort descriptors passed to the initializer. If nil or empty, samples are ordered by start.
  public let sortDescriptors: [NSSortDescriptor]?
  private let request: Result<(SampleRequest, SampleSorting), HKError>
  private let handler: ResultsHandler

  /// Creates a query for one sample type.
  /// - Parameters:
  ///   - limit: The maximum number of samples; `HKObjectQueryNoLimit` for all.
  ///   - sortDescriptors: On the start and end dates; for workouts also on the properties of the
  ///     `HKWorkoutSortIdentifier` constants. Others fail with errorInvalidArgument.
  ///   - resultsHandler: Called once with the samples or an error.
  @preconcurrency
  public init(
    sampleType: HKSampleType, predicate: NSPredicate?, limit: Int, sortDescriptors: [NSSortDescriptor]?,
    resultsHandler: @escaping ResultsHandler
  ) {
    self.limit = limit
    self.sortDescriptors = sortDescriptors
    let translation = predicate.map(PredicateTranslation.init)
    request = Result { () throws(HKError) -> (SampleRequest, SampleSorting) in
      let request = try SampleRequest(sampleType, translation)
      return (request, try SampleSorting(sortDescriptors ?? [], of: request.types))
    }
    handler = resultsHandler
    super.init(sampleType, translation)
  }

  /// Creates a query for the samples that match any of the descriptors, ordered by start.
  @preconcurrency
  public convenience init(
    queryDescriptors: [HKQueryDescriptor], limit: Int, resultsHandler: @escaping ResultsHandler
  ) {
    self.init(
      queryDescriptors: queryDescriptors, limit: limit, sortDescriptors: [], resultsHandler: resultsHandler)
  }

  /// Creates a query for the samples that match any of the descriptors.
  @preconcurrency
  public init(
    queryDescriptors: [HKQueryDescriptor], limit: Int, sortDescriptors: [NSSortDescriptor],
    resultsHandler: @escaping ResultsHandler
  ) {
    self.limit = limit
    self.sortDescriptors = sortDescriptors
    request = Result { () throws(HKError) -> (SampleRequest, SampleSorting) in
      let request = try SampleRequest(queryDescriptors)
      return (request, try SampleSorting(sortDescriptors, of: request.types))
    }
    handler = resultsHandler
    super.init(nil, nil)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let (request, sorting) = try request.get()
      let limit = limit == HKObjectQueryNoLimit ? nil : limit
      // The store can sort only by start and end. For other properties, read all samples, sort them in
      // memory, and then apply the limit.
      let order = sorting.stored
      var samples: [HKSample] = try await store.fold(
        into: [], request, order: order ?? [.start(ascending: true)], limit: order == nil ? nil : limit
      ) { $0.append($1) }
      if order == nil { samples = Array(sorting.sorted(samples).prefix(limit ?? samples.count)) }
      await deliver { [samples] in self.handler(self, samples, nil) }
    } catch {
      await deliver { self.handler(self, nil, error) }
    }
  }
}
