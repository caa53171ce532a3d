import Foundation
import HealthDataSync
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the routes that list types, sources and samples, of the curve of an electrocardiogram, and of
  /// damaged segments (stored hours of compressed samples).
  mutating func addSamples(_ stores: StoreCache) {
    reads["/api/types"] = { request in
      try .json(try await TypesResponse.of(stores.store(for: request)))
    }
    reads["/api/damage"] = { request in
      try .json(
        DamageResponse(
          blocks: try await stores.store(for: request).recheckedBlocks(),
          store: stores.fileProblem(for: request)))
    }
    reads["/api/sources"] = { request in
      let counts = try await stores.store(for: request).sampleCounts()
      return try .json(SourcesResponse(counts))
    }
    reads["/api/samples"] = { request in
      let position = try request.parameters["after"].map { try SamplePosition($0) }
      return try .json(
        try await SamplesResponse.of(
          request.sampleType(), request.selection(), after: position,
          limit: request.count("limit", in: 1...500) ?? 100, in: stores.store(for: request).healthStore))
    }
    reads["/api/electrocardiogram"] = { request in
      guard let identifier = UUID(uuidString: try request.text("uuid")) else {
        throw PageError.argument("The parameter uuid must be the UUID of an electrocardiogram.")
      }
      return try .json(
        try await ElectrocardiogramResponse.of(stores.store(for: request).healthStore, identifier))
    }
  }
}

/// The damaged segments, whose samples the page does not show.
struct DamageResponse: Codable, Sendable {
  /// A sentence for each damaged segment that was found so far: its type, its hour, and what to do.
  var blocks: [String]
  /// Why samples cannot be saved at the moment; absent if they can.
  var store: String?
}

struct TypesResponse: Codable, Sendable {
  struct Entry: Codable, Sendable {
    var type: String
    /// The kind of samples: `quantity`, `category`, `series`, `correlation`, `workout` or `other`.
    var kind: String
    var unit: String?
    /// The aggregation style of a quantity type: `discrete` or `cumulative`.
    var style: String?
    var count: Int
    /// The start times of the first and last samples.
    var first: Date?
    var last: Date?
    /// The end of the sample with the latest start.
    var end: Date?
    /// Whether the user can add samples of the type by hand.
    var canAdd: Bool
  }

  /// The types, those with the most samples first.
  var types: [Entry]

  static func of(_ store: SystemStore) async throws -> TypesResponse {
    let counts = try await store.sampleCounts().reduce(into: [String: Int]()) {
      $0.merge($1.counts, uniquingKeysWith: +)
    }
    let known = HKSampleType.known.filter { counts[$0.identifier] != nil }
    let quantities = Set(known.compactMap { $0 as? HKQuantityType })
    let units = try await store.healthStore.shownUnits(of: quantities)
    var types: [Entry] = []
    for type in known {
      guard let count = counts[type.identifier] else { continue }
      var entry = Entry(
        type: TypeName.short(type), kind: type.kind, count: count, canAdd: EntryForm(type) != nil)
      if let quantity = type as? HKQuantityType {
        entry.unit = units[quantity]?.unitString
        entry.style = quantity.aggregationStyle == .cumulative ? "cumulative" : "discrete"
      }
      entry.first = try await store.healthStore.bound(of: type, ascending: true)?.start
      let last = try await store.healthStore.bound(of: type, ascending: false)
      (entry.last, entry.end) = (last?.start, last?.end)
      types.append(entry)
    }
    return TypesResponse(types: types.sorted { ($1.count, $0.type) < ($0.count, $1.type) })
  }
}

extension HKSampleType {
  fileprivate var kind: String {
    switch self {
    case is HKQuantityType: "quantity"
    case is HKCategoryType: "category"
    case is HKSeriesType: "series"
    case is HKCorrelationType: "correlation"
    case is HKWorkoutType: "workout"
    default: "other"
    }
  }
}

extension HKHealthStore {
  /// Returns the start and end of the sample with the earliest or the latest start.
  fileprivate func bound(of type: HKSampleType, ascending: Bool) async throws -> DateInterval? {
    try await reduceSamples(
      into: nil, [HKSamplePredicate<HKSample>.sample(type: type)], limit: 1, ascending: ascending
    ) { $0 = DateInterval(start: $1.startDate, end: max($1.startDate, $1.endDate)) }
  }
}

struct SourcesResponse: Codable, Sendable {
  struct Source: Codable, Sendable {
    var source: String
    var name: String
    /// The number of samples by type.
    var samples: [String: Int]
  }

  var sources: [Source]

  init(_ counts: [(source: HKSource, counts: [String: Int])]) {
    sources = counts.map { source, counts in
      Source(
        source: source.bundleIdentifier, name: source.name,
        samples: Dictionary(
          counts.map { (TypeName.short(ofIdentifier: $0), $1) }, uniquingKeysWith: +))
    }
  }
}

/// The position in a list of samples at which the next page begins. It may lie between samples with the same
/// start.
struct SamplePosition: Sendable, Hashable {
  /// The start of the last sample in the previous pages, in microseconds since 1970.
  var start: Int64
  /// The number of samples in the previous pages that start at ``start``.
  var listed: Int

  init(start: Int64, listed: Int) { (self.start, self.listed) = (start, listed) }

  init(_ text: String) throws(PageError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let start = Int64(parts[0]), let listed = Int(parts[1]), listed > 0,
      listed < 1_000_000,
      abs(start) < 1 << 58
    else { throw .argument("The parameter after must be a value of next in an earlier response.") }
    self.init(start: start, listed: listed)
  }

  var text: String { "\(start).\(listed)" }
}

struct SamplesResponse: Encodable, Sendable {
  /// The samples, latest first.
  var samples: [SampleLine]
  /// The position at which the next page begins; absent on the last page.
  var next: String?

  static func of(
    _ type: HKSampleType, _ predicate: NSPredicate?, after position: SamplePosition?, limit: Int,
    in store: HKHealthStore
  ) async throws -> SamplesResponse {
    var parts = predicate.map { [$0] } ?? []
    if let position {
      // The query also returns the samples of the previous pages with that start. Skip them.
      let end = Microseconds.date(position.start + 1)
      parts.append(HKQuery.predicateForSamples(withStart: nil, end: end, options: .strictStartDate))
    }
    let wanted = HKSamplePredicate<HKSample>.sample(
      type: type, predicate: parts.isEmpty ? nil : NSCompoundPredicate(andPredicateWithSubpredicates: parts))
    let skipped = position?.listed ?? 0
    let units = try await store.shownUnits(of: type)
    let found = try await store.reduceSamples(
      into: [(start: Int64, sample: SampleLine)](), [wanted], limit: skipped + limit + 1, ascending: false
    ) { found, sample in
      var line = SampleLine(sample, in: units)
      (line.beatCount, line.beats) = (line.beats?.count, nil)
      found.append((Microseconds.clamped(sample.startDate), line))
    }
    let page = found.dropFirst(skipped).prefix(limit)
    var response = SamplesResponse(samples: page.map(\.sample))
    if type is HKMedicationDoseEventType {
      let names = try await MedicationsResponse.of(store).names
      for (position, sample) in response.samples.enumerated() {
        response.samples[position].dose?.name = sample.dose.flatMap { names[$0.medication] }
      }
    }
    if found.count > skipped + limit, let last = page.last {
      let same = page.count { $0.start == last.start }
      let before = position?.start == last.start ? skipped : 0
      response.next = SamplePosition(start: last.start, listed: before + same).text
    }
    return response
  }
}
