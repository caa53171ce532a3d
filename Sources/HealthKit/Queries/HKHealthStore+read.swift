import Foundation
import HealthStorage

extension HKHealthStore {
  /// Folds the matching samples into a result, in chronological order. Memory use does not depend on the
  /// number of samples.
  ///
  /// The whole read uses one snapshot of the store. Heartbeat series include their beats. This is meant for
  /// programs that print or send samples one at a time:
  ///
  /// ```swift
  /// let predicate = HKSamplePredicate.quantitySample(type: HKQuantityType(.heartRate))
  /// let count = try await store.reduceSamples(into: 0, [predicate]) { count, _ in count += 1 }
  /// ```
  package func reduceSamples<Result: Sendable, Sample: HKSample>(
    into initial: Result, _ predicates: [HKSamplePredicate<Sample>], limit: Int? = nil,
    ascending: Bool = true,
    _ body: @escaping @Sendable (inout Result, Sample) throws -> Void
  ) async throws -> Result {
    let request = try SampleRequest(predicates)
    return try await fold(
      into: initial, request, order: [.start(ascending: ascending)], limit: limit,
      detail: SampleDetail(heartbeats: .beats), body)
  }

  func fold<Result: Sendable, Sample: HKSample>(
    into initial: Result, _ request: SampleRequest, order: [SampleOrder], limit: Int?,
    detail: SampleDetail = SampleDetail(),
    _ body: @escaping @Sendable (inout Result, Sample) throws -> Void
  ) async throws -> Result {
    do {
      return try await admit(.read(request.types)).reduce(
        into: (initial, SampleAssembly(documents: detail.documents)), request.filter, order: order,
        limit: limit,
        heartbeats: detail.heartbeats
      ) { state, record in
        guard let sample = try state.1.sample(record) as? Sample else { return }
        try body(&state.0, sample)
      }.0
    } catch let failure as StorageError {
      throw HKError(failure)
    }
  }
}

extension HKHealthStore {
  /// Returns the UUIDs of the matching samples.
  func uuids(_ request: SampleRequest, _ order: [SampleOrder], limit: Int?) async throws -> [UUID] {
    try await HKError.translating {
      try await admit(.read(request.types)).uuids(request.filter, order: order, limit: limit)
    }
  }
}

/// Which samples to read: their types and a filter.
struct SampleRequest: Sendable {
  let types: Set<HKSampleType>
  let filter: SampleFilter

  init(types: Set<HKSampleType>, filter: SampleFilter) {
    self.types = types
    self.filter = filter
  }

  /// Creates a request for the samples that match any of the predicates.
  init<Sample: HKSample>(_ predicates: [HKSamplePredicate<Sample>]) throws(HKError) {
    types = Set(predicates.map(\.sampleType))
    var filters: [SampleFilter] = []
    for predicate in predicates { filters.append(try predicate.filter) }
    // Do not put a single filter into an OR: SQLite would not use the index on types.
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

/// Which parts of large samples to read with them.
struct SampleDetail: Sendable {
  var documents: DocumentDetail = .none
  var heartbeats: HeartbeatDetail = .count
}
