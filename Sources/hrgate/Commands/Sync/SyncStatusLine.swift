import Foundation
import HealthDataSync

/// The state of a destination as `hrgate sync status --json` prints it. The first nine fields are always
/// present, and null if there is no value.
struct SyncStatusLine: Encodable {
  struct Record: Encodable {
    var uuid: String
    var type: String
    var reason: String
    var since: String
    var attempts: Int
  }

  struct Rejection: Encodable {
    var type: String
    var samples: Int
    var reason: String
  }

  /// Maximum number of rejected records to list.
  static let mostRecords = 10

  var name: String
  var kind: String
  var state: String
  var sent: Int
  var deleted: Int
  var setAside: Int
  var pending: Int
  var lastSuccess: String?
  var lastError: String?
  /// When attempts began to fail; absent if the last one succeeded.
  var failingSince: String?
  /// The first rejected records; absent if there are none.
  var setAsideRecords: [Record]?
  /// Types that the destination never accepts; absent if it accepts all.
  var rejected: [Rejection]?

  init(_ status: SyncStatus, setAside records: [RejectedRecord]) {
    name = status.name
    kind = status.kind
    state = status.state.rawValue
    sent = status.sent
    deleted = status.deleted
    setAside = status.setAside
    pending = status.pending
    lastSuccess = status.lastSuccess.map(Timestamp.text)
    lastError = status.lastError
    failingSince = status.since.map(Timestamp.text)
    if !status.rejections.isEmpty {
      rejected = status.rejections.map { Rejection(type: $0.type, samples: $0.samples, reason: $0.reason) }
    }
    guard !records.isEmpty else { return }
    setAsideRecords = records.map {
      Record(
        uuid: $0.uuid.uuidString, type: $0.type, reason: $0.reason, since: Timestamp.text($0.since),
        attempts: $0.attempts)
    }
  }

  private enum Key: CodingKey {
    case name, kind, state, sent, deleted, setAside, pending, lastSuccess, lastError, failingSince
    case setAsideRecords, rejected
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .name)
    try container.encode(kind, forKey: .kind)
    try container.encode(state, forKey: .state)
    try container.encode(sent, forKey: .sent)
    try container.encode(deleted, forKey: .deleted)
    try container.encode(setAside, forKey: .setAside)
    try container.encode(pending, forKey: .pending)
    try container.encode(lastSuccess, forKey: .lastSuccess)
    try container.encode(lastError, forKey: .lastError)
    try container.encodeIfPresent(failingSince, forKey: .failingSince)
    try container.encodeIfPresent(setAsideRecords, forKey: .setAsideRecords)
    try container.encodeIfPresent(rejected, forKey: .rejected)
  }
}
