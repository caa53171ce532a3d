import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Deletes what was shown to be deleted, and nothing that has come since.
  mutating func addDeletion(_ shelf: StoreShelf) {
    changes["/api/delete/count"] = { question in
      var wish = try question.body(Deletion.self)
      let store = try shelf.store(for: question).healthStore
      // A monitor measures meanwhile: what begins behind the last that is counted is none of these.
      if let last = try await store.lastStart(wish.predicates()) {
        wish.to = min(wish.to ?? .infinity, last.justBehind)
      }
      return try .json(DeletionCount(try await store.counts(wish.predicates()), to: wish.to))
    }
    changes["/api/delete"] = { question in
      let wish = try question.body(Deletion.self)
      guard let total = wish.total else { throw PageFault.argument("Say how many are to be deleted.") }
      let (store, predicates) = (try shelf.store(for: question).healthStore, try wish.predicates())
      let now = try await store.counts(predicates).values.reduce(0, +)
      guard now == total else {
        throw PageFault.conflict("There are \(now) such samples now, not \(total): look again.")
      }
      return try .json(Deleted(deleted: try await store.deleteMatching(predicates)))
    }
  }
}

/// What is to be deleted: samples that begin in a time, of a type, of a source, by their UUIDs. What is not
/// named does not matter; something is named.
private struct Deletion: Decodable {
  var type: String?
  var source: String?
  var from: Double?
  var to: Double?
  var uuids: [String]?
  /// So many were shown.
  var total: Int?

  func predicates() throws -> [HKSamplePredicate<HKSample>] {
    guard type != nil || source != nil || from != nil || to != nil || uuids != nil else {
      throw PageFault.argument("Name a type, a source, a time or samples.")
    }
    guard [from, to].compactMap(\.self).allSatisfy(Question.times.contains) else {
      throw PageFault.argument("from and to are milliseconds since 1970.")
    }
    if let from, let to, to < from { throw PageFault.argument("to is before from.") }
    let selection = Selection(
      from: from.map(Date.init(milliseconds:)), to: to.map(Date.init(milliseconds:)), source: source)
    var parts = selection.predicate().map { [$0] } ?? []
    if let uuids {
      let known = uuids.compactMap(UUID.init(uuidString:))
      guard known.count == uuids.count else { throw PageFault.argument("A UUID is none.") }
      parts.append(HKQuery.predicateForObjects(with: Set(known)))
    }
    let predicate = parts.isEmpty ? nil : NSCompoundPredicate(andPredicateWithSubpredicates: parts)
    let types = try type.map { [try Question.sampleType(named: $0)] } ?? HKSampleType.known
    return types.map { HKSamplePredicate<HKSample>.sample(type: $0, predicate: predicate) }
  }
}

struct DeletionCount: Codable, Sendable {
  var total: Int
  /// All of these begin before then, in milliseconds since 1970: whoever deletes them says so, too. What has
  /// come since is neither counted nor deleted. Absent where there is none.
  var to: Double?
  /// By type.
  var counts: [String: Int]

  init(_ counts: [String: Int], to: Double?) {
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
  /// When the last of some samples begins; `nil` where there is none.
  fileprivate func lastStart(_ samples: [HKSamplePredicate<HKSample>]) async throws -> Date? {
    try await reduceSamples(into: nil, samples, limit: 1, ascending: false) { $0 = $1.startDate }
  }
}

extension Date {
  /// A millionth of a second later, which is the finest that a store tells apart; in milliseconds since 1970.
  fileprivate var justBehind: Double { ((timeIntervalSince1970 * 1e6).rounded() + 1) / 1000 }
}
