import Foundation
import HealthStorage

/// What an anchored query asks, as it goes to the database.
struct AnchoredQuestion: Sendable {
  let samples: ChangeQuestion
  var anchor: HKQueryAnchor?
  let limit: Int?

  /// - Parameter limit: nil or `HKObjectQueryNoLimit` for none.
  init(_ samples: ChangeQuestion, _ anchor: HKQueryAnchor?, _ limit: Int?) {
    self.samples = samples
    self.anchor = anchor
    self.limit = limit == HKObjectQueryNoLimit ? nil : limit
  }
}

/// What an anchored query answers.
struct AnchoredAnswer: Sendable {
  let added: [HKSample]
  let deleted: [HKDeletedObject]
  let anchor: HKQueryAnchor

  var isEmpty: Bool { added.isEmpty && deleted.isEmpty }
}

extension HKHealthStore {
  func changes(_ question: AnchoredQuestion) async throws -> AnchoredAnswer {
    try await HKError.translating {
      let database = try admit(.read(question.samples.types))
      let changes = try await database.changes(
        question.samples.filters.map { ($0.type.identifier, $0.filter) },
        after: question.anchor?.position ?? 0, of: question.anchor?.store, limit: question.limit)
      var assembly = SampleAssembly()
      return AnchoredAnswer(
        added: try changes.added.map { try assembly.sample($0) },
        deleted: changes.deleted.map(HKDeletedObject.init),
        anchor: HKQueryAnchor(position: changes.position, store: changes.store))
    }
  }
}

extension HKDeletedObject {
  convenience init(_ record: DeletedRecord) {
    var values: [String: MetadataValue] = [:]
    if let identifier = record.syncIdentifier, let version = record.syncVersion {
      values[HKMetadataKeySyncIdentifier] = .string(identifier)
      values[HKMetadataKeySyncVersion] = .integer(version)
    }
    self.init(uuid: record.uuid, metadata: values.isEmpty ? nil : try? ObjectMetadata(checking: values))
  }
}
