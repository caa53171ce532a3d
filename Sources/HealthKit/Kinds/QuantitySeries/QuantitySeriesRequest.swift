import Foundation
import HealthStorage

/// The parameters of a quantity series query: the samples to read and the order of their quantities.
struct QuantitySeriesRequest: Sendable {
  let type: HKQuantityType
  let filter: SampleFilter
  let order: QuantityOrder
  let includesSample: Bool

  init(
    _ type: HKSampleType, _ predicate: PredicateTranslation?, bySample: Bool, includesSample: Bool
  ) throws(HKError) {
    guard let type = type as? HKQuantityType else {
      throw HKError(.errorInvalidArgument, reason: "\(type) has no quantities")
    }
    self.type = type
    filter = try .samples(of: type, predicate)
    order = bySample ? .sample : .quantity
    self.includesSample = includesSample
  }
}

/// The state of a query whose results are read page by page, so that memory use does not depend on the number
/// of results.
struct QuantitySeriesReading: Sendable {
  static let pageSize = 4096

  let request: QuantitySeriesRequest
  private var page: [HKQuantitySeriesSampleQueryDescriptor.Result] = []
  private var position = 0
  private var end: QuantityPage.Position?
  private var isAtEnd = false

  init(_ request: QuantitySeriesRequest) {
    self.request = request
  }

  /// Returns the next quantity and whether it is the last, or nil at the end.
  mutating func next(
    in store: HKHealthStore
  ) async throws -> (result: HKQuantitySeriesSampleQueryDescriptor.Result, isLast: Bool)? {
    try await fill(in: store)
    guard position < page.count else { return nil }
    let result = page[position]
    position += 1
    // If a page is full, the next page must be read to find out whether this is the last quantity.
    try await fill(in: store)
    return (result, position == page.count)
  }

  private mutating func fill(in store: HKHealthStore) async throws {
    guard position == page.count, !isAtEnd else { return }
    let next = try await store.quantities(request, after: end)
    page = next.results
    position = 0
    end = next.end
    isAtEnd = next.end == nil
  }
}

extension HKHealthStore {
  fileprivate func quantities(
    _ request: QuantitySeriesRequest, after place: QuantityPage.Position?
  ) async throws -> (results: [HKQuantitySeriesSampleQueryDescriptor.Result], end: QuantityPage.Position?) {
    try await HKError.translating {
      let page = try await admit(.read([request.type])).quantities(
        request.filter, request.order, after: place, size: QuantitySeriesReading.pageSize,
        includingSamples: request.includesSample)
      var assembly = SampleAssembly()
      let samples = try page.samples.mapValues { try assembly.sample($0) as? HKQuantitySample }
      let results = try page.quantities.map { quantity in
        HKQuantitySeriesSampleQueryDescriptor.Result(
          quantity: HKQuantity(unit: try assembly.unit(quantity.unit), doubleValue: quantity.value),
          dateInterval: DateInterval(
            SeriesQuantity(start: quantity.start, end: quantity.end, value: quantity.value)),
          sample: samples[quantity.sample] ?? nil)
      }
      return (results, page.end)
    }
  }
}
