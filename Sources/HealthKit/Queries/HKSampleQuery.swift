public import Foundation
import HealthStorage

/// Asks for samples, once.
// @unchecked: as for HKQuery.
public final class HKSampleQuery: HKQuery, @unchecked Sendable {
  public typealias ResultsHandler = @Sendable (HKSampleQuery, [HKSample]?, (any Error)?) -> Void

  public let limit: Int
  /// As given; nil or empty for the order of the starts.
  public let sortDescriptors: [NSSortDescriptor]?
  private let question: Result<SampleQuestion, HKError>
  private let order: Result<[SampleOrder], HKError>
  private let handler: ResultsHandler

  /// - Parameters:
  ///   - limit: `HKObjectQueryNoLimit` for all.
  ///   - sortDescriptors: on the start and end dates; any other is answered with errorInvalidArgument.
  ///   - resultsHandler: called once, with the samples or an error.
  public init(
    sampleType: HKSampleType, predicate: NSPredicate?, limit: Int, sortDescriptors: [NSSortDescriptor]?,
    resultsHandler: @escaping ResultsHandler
  ) {
    self.limit = limit
    self.sortDescriptors = sortDescriptors
    let translation = predicate.map(PredicateTranslation.init)
    question = Result { () throws(HKError) in try SampleQuestion(sampleType, translation) }
    order = Result { () throws(HKError) in try SampleOrder.order(sortDescriptors ?? []) }
    handler = resultsHandler
    super.init(sampleType, translation)
  }

  /// Samples that match any of the descriptors, in the order of their starts.
  public convenience init(
    queryDescriptors: [HKQueryDescriptor], limit: Int, resultsHandler: @escaping ResultsHandler
  ) {
    self.init(
      queryDescriptors: queryDescriptors, limit: limit, sortDescriptors: [], resultsHandler: resultsHandler)
  }

  /// Samples that match any of the descriptors.
  public init(
    queryDescriptors: [HKQueryDescriptor], limit: Int, sortDescriptors: [NSSortDescriptor],
    resultsHandler: @escaping ResultsHandler
  ) {
    self.limit = limit
    self.sortDescriptors = sortDescriptors
    question = Result { () throws(HKError) in try SampleQuestion(queryDescriptors) }
    order = Result { () throws(HKError) in try SampleOrder.order(sortDescriptors) }
    handler = resultsHandler
    super.init(nil, nil)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let samples: [HKSample] = try await store.fold(
        into: [], question.get(), order: order.get(), limit: limit == HKObjectQueryNoLimit ? nil : limit
      ) { $0.append($1) }
      await deliver { self.handler(self, samples, nil) }
    } catch {
      await deliver { self.handler(self, nil, error) }
    }
  }
}
