import Foundation
import HealthStorage

extension HKHealthStore {
  /// Folds the matching samples in the store's order, in memory that does not grow with their number.
  ///
  /// The whole read sees one snapshot. The beats of series come with them. For a program that prints or sends
  /// samples one by one.
  package func reduceSamples<Result: Sendable, Sample: HKSample>(
    into initial: Result, _ predicates: [HKSamplePredicate<Sample>], limit: Int? = nil,
    ascending: Bool = true,
    _ body: @escaping @Sendable (inout Result, Sample) throws -> Void
  ) async throws -> Result {
    let question = try SampleQuestion(predicates)
    return try await fold(
      into: initial, question, order: [.start(ascending: ascending)], limit: limit,
      detail: SampleDetail(heartbeats: .beats), body)
  }

  func fold<Result: Sendable, Sample: HKSample>(
    into initial: Result, _ question: SampleQuestion, order: [SampleOrder], limit: Int?,
    detail: SampleDetail = SampleDetail(),
    _ body: @escaping @Sendable (inout Result, Sample) throws -> Void
  ) async throws -> Result {
    do {
      return try await admit(.read(question.types)).reduce(
        into: (initial, SampleAssembly(documents: detail.documents)), question.filter, order: order,
        limit: limit,
        heartbeats: detail.heartbeats
      ) { state, record in
        guard let sample = try state.1.sample(record) as? Sample else { return }
        try body(&state.0, sample)
      }.0
    } catch let failure as StorageFailure {
      throw HKError(failure)
    }
  }
}

extension HKHealthStore {
  /// Which samples match, without the samples.
  func uuids(_ question: SampleQuestion, _ order: [SampleOrder], limit: Int?) async throws -> [UUID] {
    try await HKError.translating {
      try await admit(.read(question.types)).uuids(question.filter, order: order, limit: limit)
    }
  }
}

/// Which samples, of which types.
struct SampleQuestion: Sendable {
  let types: Set<HKSampleType>
  let filter: SampleFilter

  init(types: Set<HKSampleType>, filter: SampleFilter) {
    self.types = types
    self.filter = filter
  }

  /// The samples that match any of the predicates.
  init<Sample: HKSample>(_ predicates: [HKSamplePredicate<Sample>]) throws(HKError) {
    types = Set(predicates.map(\.sampleType))
    var filters: [SampleFilter] = []
    for predicate in predicates { filters.append(try predicate.filter) }
    // One alone needs no OR, which would hide the type from the index.
    filter = filters.count == 1 ? filters[0] : .any(filters)
  }

  init(_ descriptors: [HKQueryDescriptor]) throws(HKError) {
    types = Set(descriptors.map(\.sampleType))
    var filters: [SampleFilter] = []
    for descriptor in descriptors {
      filters.append(try .samples(of: descriptor.sampleType, descriptor.translation))
    }
    filter = filters.count == 1 ? filters[0] : .any(filters)
  }

  init(_ type: HKSampleType, _ predicate: PredicateTranslation?) throws(HKError) {
    types = [type]
    filter = try .samples(of: type, predicate)
  }
}
