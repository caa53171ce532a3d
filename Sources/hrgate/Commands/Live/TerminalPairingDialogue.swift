import Bluetooth
import Foundation
import Glibc

/// Asks the user at the terminal, or answers with the passkey from the command line.
struct TerminalPairingDialogue: PairingDialogue {
  /// The value of `--passkey`. If given, the user is not asked.
  let passkey: UInt32?

  func requestPasskey() async -> UInt32? {
    if let passkey { return passkey }
    guard let answer = await Self.ask("Passkey shown by the monitor (6 digits): ") else { return nil }
    return PasskeyArgument(argument: answer)?.number
  }

  func confirm(passkey shown: UInt32) async -> Bool {
    if let passkey { return passkey == shown }
    let answer = await Self.ask("Does the monitor show \(Self.digits(shown))? [y/N] ")
    return answer.map { ["y", "yes"].contains($0.lowercased()) } ?? false
  }

  func show(passkey: UInt32) async {
    StandardError.print("enter \(Self.digits(passkey)) at the monitor")
  }

  /// - Returns: `nil` if there is no terminal.
  private static func ask(_ question: String) async -> String? {
    guard isatty(STDIN_FILENO) == 1 else {
      StandardError.print(
        "the monitor requires a passkey, but there is no terminal; give it with --passkey")
      return nil
    }
    StandardError.show(question)
    return await TerminalLines.shared.next()
  }

  private static func digits(_ passkey: UInt32) -> String {
    let text = String(passkey)
    return String(repeating: "0", count: max(0, 6 - text.count)) + text
  }
}
