internal import Glibc

/// A socket that is connected to a bus. Nothing here waits but `wait(for:upTo:)`.
final class BusSocket {
  /// -1 once it is closed.
  private(set) var descriptor: Int32

  /// - Parameter descriptor: a socket that is connected, and does not block; closed when this goes.
  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Connects, where that can be done at once.
  ///
  /// - Returns: nil where as many wait to be taken up by the bus as it allows: to be tried again. The kernel
  ///   tells nobody when there is room (unix(7), EAGAIN).
  /// - Throws: `BusError` with `.fileNotFound`, `.noServer`, `.accessDenied` or `.limitsExceeded`.
  static func connect(to address: ServerAddress) throws(BusError) -> BusSocket? {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = Glibc.socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { throw error(errno, address) }
    let socket = BusSocket(descriptor: descriptor)
    if connect(descriptor, to: address) == 0 { return socket }
    guard errno == EAGAIN else { throw error(errno, address) }
    return nil
  }

  deinit { close() }

  func close() {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }

  private static func connect(_ descriptor: Int32, to address: ServerAddress) -> Int32 {
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    let octets = address.isAbstract ? [0] + address.name : address.name + [0]
    withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: octets) }
    let begin = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
    return withUnsafePointer(to: place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(begin + octets.count))
      }
    }
  }

  /// libdbus' names, which callers know.
  private static func error(_ number: Int32, _ address: ServerAddress) -> BusError {
    let name: BusError.Name =
      switch number {
      case ENOENT, ENOTDIR: .fileNotFound
      case ECONNREFUSED: .noServer
      case EACCES, EPERM: .accessDenied
      case EMFILE, ENFILE: .limitsExceeded
      case ENOMEM, ENOBUFS: .noMemory
      default: .failed
      }
    return BusError(name, "\(address): \(text(number))")
  }

  static func text(_ number: Int32) -> String { String(cString: strerror(number)) }

  /// What a read or a write came to.
  enum Transfer: Equatable {
    case done(Int)
    /// Nothing can be read or written now.
    case notNow
    case end
    case failed(String)
  }

  func read(into room: UnsafeMutableRawBufferPointer) -> Transfer {
    outcome(of: recv(descriptor, room.baseAddress, room.count, 0), end: 0)
  }

  func write(_ octets: UnsafeRawBufferPointer) -> Transfer {
    outcome(of: send(descriptor, octets.baseAddress, octets.count, Int32(MSG_NOSIGNAL)), end: nil)
  }

  private func outcome(of count: Int, end: Int?) -> Transfer {
    if count == end { return .end }
    if count >= 0 { return .done(count) }
    return errno == EAGAIN || errno == EINTR ? .notNow : .failed(Self.text(errno))
  }

  /// Nothing is written any more; the bus, which sees that, closes in its turn.
  func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Waits until one of the events of poll(2), or the end of the connection, has come.
  func wait(for events: Int32, upTo limit: Duration) {
    var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    // Rounded up: with less than a millisecond left, the time would not pass in here.
    poll(&polled, 1, Int32(clamping: Int64((limit / .milliseconds(1)).rounded(.up))))
  }
}
