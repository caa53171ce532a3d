internal import Glibc

/// A socket that is connected to a bus. Nothing here waits but connecting, for a few seconds, where the bus
/// does not take up connections.
final class BusSocket {
  /// -1 once it is closed.
  private(set) var descriptor: Int32

  /// How long a bus may leave a connection waiting before it takes it up.
  private static let patience = timeval(tv_sec: 5, tv_usec: 0)

  /// Connects by the first way that leads somewhere.
  ///
  /// - Throws: `BusError` with `.fileNotFound`, `.noServer`, `.accessDenied` or `.limitsExceeded`, of the
  ///   last way that was tried.
  static func connect(_ addresses: [ServerAddress]) throws(BusError) -> (BusSocket, ServerAddress) {
    var last = BusError(.badAddress, "no bus address")
    for address in addresses {
      do throws(BusError) {
        return (try BusSocket(address), address)
      } catch {
        last = error
      }
    }
    throw last
  }

  private init(_ address: ServerAddress) throws(BusError) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Self.error(errno, address) }
    var patience = Self.patience
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    // With a limit of time the kernel does not take up the call again by itself (signal(7)).
    while Self.connect(descriptor, to: address) != 0 {
      guard errno == EINTR else { throw Self.error(errno, address) }
    }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
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
      // The bus does not take up what waits to be connected.
      case EAGAIN: .noServer
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

  /// Waits until something can be read or written.
  func wait(upTo milliseconds: Int32) {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN | POLLOUT), revents: 0)
    poll(&polled, 1, milliseconds)
  }
}
