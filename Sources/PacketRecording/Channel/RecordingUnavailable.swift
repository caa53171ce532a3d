import Glibc

/// Why nothing can be recorded on this machine, in one sentence, and what mends it.
public enum RecordingUnavailable: Error, Hashable, Sendable, CustomStringConvertible {
  /// The monitor channel is for whoever may see raw packets.
  case notPermitted
  case noBluetooth
  /// The system refused; the value is `errno`.
  case refused(Int32)

  init(errno: Int32) {
    switch errno {
    case EPERM, EACCES: self = .notPermitted
    case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT: self = .noBluetooth
    default: self = .refused(errno)
    }
  }

  public var description: String {
    switch self {
    case .notPermitted:
      "This user may not see the packets of the Bluetooth controllers (CAP_NET_RAW), as root may"
    case .noBluetooth:
      "This kernel has no Bluetooth, or this process may not use it. Load it: modprobe bluetooth"
    case .refused(let number):
      "The kernel refuses the channel that packets are recorded from (\(String(cString: strerror(number))))"
    }
  }
}
