import Dispatch
import Glibc

/// What the system tells an application, as far as a terminal can.
public enum ApplicationEvent: Equatable, Sendable {
  /// The application was started, or continued after Ctrl-Z.
  case becameActive
  /// A line was typed; its end is left out.
  case typed(String)

  /// Begins with ``becameActive`` and ends with the input (Ctrl-D) or with the wish to end (Ctrl-C, SIGTERM). To be called once.
  public static func stream() -> AsyncStream<ApplicationEvent> {
    AsyncStream { continuation in
      continuation.yield(.becameActive)
      let sources = [
        signals(SIGCONT) { continuation.yield(.becameActive) },
        signals(SIGINT) { continuation.finish() },
        signals(SIGTERM) { continuation.finish() },
      ]
      continuation.onTermination = { _ in sources.forEach { $0.cancel() } }
      DispatchQueue(label: "input").async {
        TypedLines.forEach { continuation.yield(.typed($0)) }
        continuation.finish()
      }
    }
  }

  private static func signals(
    _ number: Int32, _ action: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    // A dispatch source tells of a signal, and does not keep it from ending the process.
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler(handler: action)
    source.resume()
    return source
  }
}
