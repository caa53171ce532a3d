import Foundation

/// One entry of a transaction, ready to be sent.
struct TransactionChange: Sendable {
  let uuid: UUID
  let json: Data
  /// What the server takes of it, it writes. A creation that it takes may be of what is there.
  let isUpdate: Bool
  /// It takes the place of one version alone.
  let isOfVersion: Bool
  /// It marks what was sent. That the server writes it says nothing about records.
  let isMarker: Bool

  /// - Throws: `EncodingError`, for a number that JSON cannot write.
  init(_ uuid: UUID, _ entry: TransactionEntry, isMarker: Bool = false) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    self.uuid = uuid
    json = try encoder.encode(entry)
    isUpdate = entry.request.method == "PUT"
    isOfVersion = entry.request.ifMatch != nil
    self.isMarker = isMarker
  }
}
