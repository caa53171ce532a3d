import Bluetooth
import Synchronization

@testable import BlueZ

/// A dialogue with predefined answers of the user.
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

/// The requests of the dialogue, in order.
final class Asked: Sendable {
  private let heard = Mutex([String]())
  var all: [String] { heard.withLock(\.self) }
  func note(_ question: String) { heard.withLock { $0.append(question) } }
}
