import Synchronization

/// A dialogue that remembers how far it came: who was asked something pairs, whatever becomes of it.
final class AttendedDialogue: PairingDialogue {
  enum Progress: Hashable, Sendable {
    /// The monitor asked for nothing.
    case unused
    /// The user was asked, or shown something.
    case used
    /// The user said no, or had no answer.
    case refused
  }

  private let dialogue: any PairingDialogue
  private let state = Mutex(Progress.unused)

  init(_ dialogue: any PairingDialogue) { self.dialogue = dialogue }

  var progress: Progress { state.withLock(\.self) }

  func requestPasskey() async -> UInt32? {
    note(.used)
    let passkey = await dialogue.requestPasskey()
    if passkey == nil { noteRefusal() }
    return passkey
  }

  func confirm(passkey: UInt32) async -> Bool {
    note(.used)
    let isConfirmed = await dialogue.confirm(passkey: passkey)
    if !isConfirmed { noteRefusal() }
    return isConfirmed
  }

  func show(passkey: UInt32) async {
    note(.used)
    await dialogue.show(passkey: passkey)
  }

  /// A question that was cut off is no refusal.
  private func noteRefusal() {
    if !Task.isCancelled { note(.refused) }
  }

  private func note(_ progress: Progress) { state.withLock { $0 = progress } }
}
