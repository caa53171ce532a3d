import Bluetooth
import DBus
import Synchronization

/// A pairing dialogue for one device that records whether the user was involved.
final class AttendedDialogue: PairingDialogue {
  enum Progress: Hashable, Sendable {
    /// The pairing did not need the user.
    case unused
    /// The user was asked to confirm or enter something, or was shown a passkey.
    case used
    /// The user refused or did not answer.
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

  /// Answers for another device object from now on, because bluetoothd removed the monitor's device and found
  /// it again.
  func turn(to device: ObjectPath) { subject.withLock { $0 = device } }

  func requestPasskey() async -> UInt32? {
    note(.used)
    let passkey = await dialogue.requestPasskey()
    if passkey == nil { recordRejection() }
    return passkey
  }

  func confirm(passkey: UInt32) async -> Bool {
    note(.used)
    let isConfirmed = await dialogue.confirm(passkey: passkey)
    if !isConfirmed { recordRejection() }
    return isConfirmed
  }

  func show(passkey: UInt32) async {
    note(.used)
    await dialogue.show(passkey: passkey)
  }

  /// Records that the user refused, unless the pairing request was canceled.
  private func recordRejection() {
    if !Task.isCancelled { note(.refused) }
  }

  private func note(_ progress: Progress) { state.withLock { $0 = progress } }
}
