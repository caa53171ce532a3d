import Bluetooth
import Synchronization

@testable import BlueZ

/// A pairing dialogue in which the user's answers are predefined.
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

/// Records the requests of a pairing dialogue, in order.
final class Asked: Sendable {
  private let heard = Mutex([String]())
  var all: [String] { heard.withLock(\.self) }
  func note(_ question: String) { heard.withLock { $0.append(question) } }
}
