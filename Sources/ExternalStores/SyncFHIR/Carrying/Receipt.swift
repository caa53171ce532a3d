import Foundation
import HealthDataSync

/// What became of changes.
struct Receipt: Sendable {
  /// What the server will not take.
  var refusals: [Refusal] = []
  /// What the server fails with.
  var faults: [Refusal] = []
  /// What was to be created, and is there.
  var present: [UUID] = []
  /// What was to take the place of a version that is none any more.
  var overtaken: [UUID] = []
  /// How many the server wrote.
  var written = 0

  static func += (receipt: inout Receipt, more: Receipt) {
    receipt.refusals += more.refusals
    receipt.faults += more.faults
    receipt.present += more.present
    receipt.overtaken += more.overtaken
    receipt.written += more.written
  }
}
