import Dispatch
import Glibc

/// The events of an application's life cycle, as far as a terminal has them.
public enum ApplicationEvent: Equatable, Sendable {
  /// The application was started, or continued after Ctrl-Z.
  case becameActive
  /// The user typed a line. The line ending is removed.
  case typed(String)

  /// Returns the events. The stream starts with ``becameActive`` and ends at the end of the input (Ctrl-D) or
  /// on Ctrl-C or SIGTERM. Call it only once.
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

  /// Handles a signal until the process exits. The source's handler retains the source.
  private static func listen(for number: Int32, _ action: @escaping @Sendable () -> Void) {
    // A dispatch source does not replace the default action, which would end the process.
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler {
      withExtendedLifetime(source) { action() }
    }
    source.resume()
  }
}
