import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Deletes what was shown to be deleted, and nothing that has come since.
  mutating func addDeletion(_ shelf: StoreShelf) {
    changes["/api/delete/count"] = { question in
      let wish = try await question.body(Deletion.self)
      let counts = try await shelf.store(for: question).healthStore.counts(wish.predicates())
      return try .json(DeletionCount(counts))
    }
    changes["/api/delete"] = { question in
      let wish = try await question.body(Deletion.self)
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
  /// By type.
  var counts: [String: Int]

  init(_ counts: [String: Int]) {
    self.counts = Dictionary(
      counts.filter { $0.value > 0 }.map { (TypeName.short(ofIdentifier: $0.key), $0.value) },
      uniquingKeysWith: +)
    total = counts.values.reduce(0, +)
  }
}

struct Deleted: Codable, Sendable {
  var deleted: Int
}
