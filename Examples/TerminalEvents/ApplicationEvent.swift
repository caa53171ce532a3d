import Dispatch
import Glibc

/// What the system tells an application, as far as a terminal can.
public enum ApplicationEvent: Equatable, Sendable {
  /// The application was started, or continued after Ctrl-Z.
  case becameActive
  /// A line was typed; its end is left out.
  case typed(String)

  /// Begins with ``becameActive`` and ends with the input (Ctrl-D) or with the wish to end (Ctrl-C, SIGTERM).
  /// To be called once.
  public static func stream() -> AsyncStream<ApplicationEvent> {
    AsyncStream { continuation in
      continuation.yield(.becameActive)
      listen(for: SIGCONT) { continuation.yield(.becameActive) }
      listen(for: SIGINT) { continuation.finish() }
      listen(for: SIGTERM) { continuation.finish() }
      DispatchQueue(label: "input").async {
        TypedLines.forEach { continuation.yield(.typed($0)) }
        continuation.finish()
      }
    }
  }

  /// Listens as long as the process runs: the source's own handler keeps it.
  private static func listen(for number: Int32, _ action: @escaping @Sendable () -> Void) {
    // A dispatch source tells of a signal, and does not keep it from ending the process.
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler {
      withExtendedLifetime(source) { action() }
    }
    source.resume()
  }
}
