import ArgumentParser
import Foundation
import HealthDataSync
import HealthSystem

/// Shows whether a store is encrypted and locked.
struct StoreStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show whether the store (database file) is encrypted and locked, and which keys unlock it.")

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print the status as one JSON object.")
  var json = false

  func run() throws {
    let line = StoreStatusLine(store: try store.file, try store.named(StoreVault.status))
    try StandardOutput.write(json ? JSONLine.text(line) : line.text)
  }
}

/// The result of `hrgate store status --json`. The field names are stable.
struct StoreStatusLine: Encodable {
  struct Slot: Encodable {
    var name: String
    var kind: String
    var created: String

    init(_ slot: StoreVault.Slot) {
      name = slot.name
      kind = slot.kind
      created = Timestamp.text(slot.created)
    }

    var text: String { "\(name.plain) (\(kind), since \(created))" }
  }

  /// The measurements that a gateway recorded while the store was locked.
  struct Inbox: Encodable {
    var entries: Int
    var bytes: UInt64
    /// Times at which the inbox was created and last written to; absent if it is empty.
    var first: String?
    var last: String?

    init(_ inbox: StoreVault.Inbox) {
      entries = inbox.entries
      bytes = inbox.bytes
      first = inbox.first.map(Timestamp.text)
      last = inbox.last.map(Timestamp.text)
    }
  }

  var store: String
  var encrypted: Bool
  var locked: Bool
  var slots: [Slot]
  var inbox: Inbox
  /// A problem, such as why the keys cannot be used; absent without one.
  var problem: String?

  init(store: String, _ status: StoreVault.Status) {
    self.store = store
    encrypted = status.isEncrypted
    locked = status.isLocked
    slots = status.slots.map(Slot.init)
    inbox = Inbox(status.inbox)
    problem = status.problem
  }

  /// The result as text.
  var text: String {
    guard encrypted else { return "\(store.plain): not encrypted; `hrgate store encrypt` encrypts it" }
    var lines = [
      "\(store.plain): encrypted, \(locked ? "locked; `hrgate store unlock` unlocks it" : "unlocked")"
    ]
    lines += slots.map { "  key \($0.text)" }
    if inbox.bytes > 0 {
      lines.append(
        "  inbox: \(Counted.text(inbox.entries, "entry", "entries")), \(inbox.bytes) bytes, "
          + "since \(inbox.first ?? "?"), until \(inbox.last ?? "?")")
    }
    if let problem { lines.append("  \(problem.plain)") }
    return lines.joined(separator: "\n")
  }
}
