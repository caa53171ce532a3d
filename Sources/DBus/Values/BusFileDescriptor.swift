import Glibc

/// A file descriptor on its way through the bus, owned: closed when the last reference goes.
///
/// Two are equal when they are the same object; numbers say nothing, since each passage makes a new one.
public final class BusFileDescriptor: Sendable {
  /// Open as long as the object lives. Whoever wants it longer duplicates it.
  public let rawValue: Int32

  /// Takes `descriptor` over. The caller closes it no more.
  public init(owning descriptor: Int32) {
    rawValue = descriptor
  }

  /// Takes a duplicate, closed over exec. The caller keeps its own.
  ///
  /// - Throws: `BusError` with `.invalidArguments` when `descriptor` is not open.
  public convenience init(duplicating descriptor: Int32) throws(BusError) {
    let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard duplicate >= 0 else {
      throw BusError(.invalidArguments, "descriptor \(descriptor): \(String(cString: strerror(errno)))")
    }
    self.init(owning: duplicate)
  }

  /// A duplicate for the caller, who closes it.
  ///
  /// - Throws: `BusError` with `.limitsExceeded` when the process has no descriptor left.
  public func duplicate() throws(BusError) -> Int32 {
    let duplicate = fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
    guard duplicate >= 0 else {
      throw BusError(.limitsExceeded, "descriptor \(rawValue): \(String(cString: strerror(errno)))")
    }
    return duplicate
  }

  deinit {
    close(rawValue)
  }
}

extension BusFileDescriptor: Hashable {
  public static func == (left: BusFileDescriptor, right: BusFileDescriptor) -> Bool {
    left === right
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
