import Bluetooth
import Synchronization

@testable import BlueZ

/// Whoever answers for the user, with answers that are known beforehand.
struct Answers: PairingDialogue {
  var passkey: UInt32?
  var confirms = true
  let asked = Asked()
  func requestPasskey() async -> UInt32? {
    asked.note("passkey")
    return passkey
  }
  func confirm(passkey: UInt32) async -> Bool {
    asked.note("confirm \(passkey)")
    return confirms
  }
  func show(passkey: UInt32) async { asked.note("show \(passkey)") }
}

/// What was asked or shown, in order.
final class Asked: Sendable {
  private let heard = Mutex([String]())
  var all: [String] { heard.withLock(\.self) }
  func note(_ question: String) { heard.withLock { $0.append(question) } }
}
