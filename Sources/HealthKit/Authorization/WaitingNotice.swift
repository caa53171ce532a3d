import Glibc
import HealthStorage

/// That a program waits for its user, who cannot see it otherwise: there is no sheet that comes up by itself,
/// and a program that prints nothing looks hung.
///
/// One line on the program's standard error. It is the only thing that this module ever prints.
struct WaitingNotice {
  private let text: String?
  private var isTold = false

  /// - Parameter store: The store's file; `nil` for one in memory, where only this program can answer.
  init(store: String?, in home: DataHome = .user) {
    text = store.map { store in
      let command = "hrgate permissions ask" + Self.option(store, home)
      return "Waiting for your permission. To answer: \(command)"
    }
  }

  /// Never waits for a terminal that is halted, and does not end a program whose standard error nobody reads.
  mutating func tellOnce(on descriptor: Int32 = STDERR_FILENO) {
    guard let text, !isTold else { return }
    isTold = true
    var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&state, 1, 0) == 1, state.revents == Int16(POLLOUT) else { return }
    let line = Array("\(text)\n".utf8)
    _ = write(descriptor, line, line.count)
  }

  /// Which store it is about.
  private static func option(_ store: String, _ home: DataHome) -> String {
    if FileIdentity.isSame(store, home.ownersStore) { return "" }
    let person = (try? home.people.names())?.first { FileIdentity.isSame(store, home.people.store(of: $0)) }
    return person.map { " --person \(quoted($0.text))" } ?? " --store \(quoted(store))"
  }

  /// As a shell takes it.
  private static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { letter in
      (48...57).contains(letter) || (65...90).contains(letter) || (97...122).contains(letter)
        || "/._-+".utf8.contains(letter)
    }
    return isPlain
      ? path
      : "'"
        + path.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
  }
}
