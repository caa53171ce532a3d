import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the routes that delete samples in two steps: the first request counts the samples, and the second
  /// one deletes exactly those.
  mutating func addDeletion(_ stores: StoreCache) {
    changes["/api/delete/count"] = { request in
      let system = try stores.store(for: request)
      var wish = try await request.body(Deletion.self).whole(in: system)
      let store = system.healthStore
      // A monitor may be saving samples at the same time. Exclude samples that start after the last one that
      // was counted.
      if let last = try await store.lastStart(wish.predicates()) {
        let end = last.justBehind
        wish.to = wish.to.map { min($0, end) } ?? end
      }
      return try .json(DeletionCount(try await store.counts(wish.predicates()), to: wish.to))
    }
    changes["/api/delete"] = { request in
      let system = try stores.store(for: request)
      let wish = try await request.body(Deletion.self).whole(in: system)
      guard let total = wish.total else { throw PageError.argument("The field total is missing.") }
      let (store, predicates) = (system.healthStore, try wish.predicates())
      let now = try await store.counts(predicates).values.reduce(0, +)
      guard now == total else {
        throw PageError.conflict("There are \(now) such samples now, not \(total). Check the list again.")
      }
      return try .json(Deleted(deleted: try await store.deleteMatching(predicates)))
    }
  }
}

/// The samples to delete: all that match every given condition. At least one condition is required.
struct Deletion: Decodable {
  var type: String?
  var source: String?
  var from: Date?
  var to: Date?
  var uuids: [String]?
  /// The number of samples that the page showed to the user.
  var total: Int?
  /// The types of the samples that `uuids` names; `nil` if they have not been looked up.
  private(set) var types: [HKSampleType]?

  private enum CodingKeys: CodingKey { case type, source, from, to, uuids, total }

  /// Adds the UUIDs of samples that are deleted together with the named ones (the values of a blood
  /// pressure), and looks up their types, so that not every type is searched.
  func whole(in store: SystemStore) async throws -> Deletion {
    guard let uuids, type == nil else { return self }
    var whole = self
    let together = try await store.deletedTogether(with: Set(try Self.parsed(uuids)))
    whole.uuids = together.map(\.uuidString)
    whole.types = try await store.counts(of: together).keys.sorted().compactMap(TypeName.sampleType)
    return whole
  }

  private static func parsed(_ uuids: [String]) throws -> [UUID] {
    let known = uuids.compactMap(UUID.init(uuidString:))
    guard known.count == uuids.count else {
      throw PageError.argument("A UUID has the form 5F0C63C2-31D4-4A2B-9C39-6D3A1C1B4F10.")
    }
    return known
  }

  func predicates() throws -> [HKSamplePredicate<HKSample>] {
    guard type != nil || source != nil || from != nil || to != nil || uuids != nil else {
      throw PageError.argument("Name a type, a source, a time or samples.")
    }
    if let from, let to, to < from { throw PageError.argument("The end (to) is before the start (from).") }
    var parts = Selection(from: from, to: to, source: source).predicate().map { [$0] } ?? []
    if let uuids {
      parts.append(HKQuery.predicateForObjects(with: Set(try Self.parsed(uuids))))
    }
    let predicate = parts.isEmpty ? nil : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
    let types = try type.map { [try PageRequest.sampleType(named: $0)] } ?? self.types ?? HKSampleType.known
    return types.map { HKSamplePredicate<HKSample>.sample(type: $0, predicate: predicate) }
  }
}

struct DeletionCount: Codable, Sendable {
  var total: Int
  /// A time after the start of all counted samples. The page passes it to the second request, so that samples
  /// saved in between are not deleted. Absent if there are no samples.
  var to: Date?
  /// Number of samples by type.
  var counts: [String: Int]

  init(_ counts: [String: Int], to: Date?) {
    self.to = to
    self.counts = Dictionary(
      counts.filter { $0.value > 0 }.map { (TypeName.short(ofIdentifier: $0.key), $0.value) },
      uniquingKeysWith: +)
    total = counts.values.reduce(0, +)
  }
}

struct Deleted: Codable, Sendable {
  var deleted: Int
}

extension HKHealthStore {
  /// Returns the latest start of the samples; `nil` if there are none.
  fileprivate func lastStart(_ samples: [HKSamplePredicate<HKSample>]) async throws -> Date? {
    guard !samples.isEmpty else { return nil }
    return try await reduceSamples(into: nil, samples, limit: 1, ascending: false) { $0 = $1.startDate }
  }
}

extension Date {
  /// The time one microsecond later, which is the next one that the store can represent.
  fileprivate var justBehind: Date { Microseconds.date(Microseconds.clamped(self) + 1) }
}
