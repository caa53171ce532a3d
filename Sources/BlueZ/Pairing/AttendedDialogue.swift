import Bluetooth
import DBus
import Synchronization

/// A dialogue about one device that remembers how far it came: who was asked something pairs, whatever
/// becomes of it.
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
  private let subject: Mutex<ObjectPath>

  init(_ dialogue: any PairingDialogue, about device: ObjectPath) {
    self.dialogue = dialogue
    subject = Mutex(device)
  }

  var progress: Progress { state.withLock(\.self) }

  func isAbout(_ device: ObjectPath?) -> Bool { subject.withLock { $0 == device } }

  /// The monitor is another device now: bluetoothd forgot it and found it anew.
  func turn(to device: ObjectPath) { subject.withLock { $0 = device } }

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
