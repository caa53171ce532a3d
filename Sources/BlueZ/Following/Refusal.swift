import Bluetooth
import DBus

/// Why nothing comes of a bus that is there; each with what was said.
enum Refusal: Hashable, Sendable {
  /// The bus does not take this user.
  case user(String)
  /// The bus refuses what every client needs: too many clients or rules, for instance.
  case bus(String)
  /// The policy of the bus does not let this user speak to bluetoothd.
  case notPermitted(String)
  /// bluetoothd owns its name, and leaves what it is asked unanswered.
  case daemonUnresponsive(String)

  init(_ error: any Error) {
    let why = "\(error)"
    switch (error as? BusError).map({ BlueZError($0).meaning }) {
    case .noAnswer: self = .daemonUnresponsive(why)
    case .notPermitted: self = .notPermitted(why)
    default: self = .bus(why)
    }
  }

  /// - Returns: nil for a bus that is not there.
  init?(opening error: BusError) {
    guard error.refusesUser else { return nil }
    self = .user("\(error.message). \(BusRefusal.remedy)")
  }

  var state: FollowState {
    switch self {
    case .user: .notPermitted
    case .bus: .busAbsent
    case .notPermitted: .notPermitted
    case .daemonUnresponsive: .daemonUnresponsive
    }
  }

  /// Of the gap that it makes where a link stood.
  var cause: GapCause {
    switch self {
    case .bus, .user: .busAbsent
    case .notPermitted, .daemonUnresponsive: .daemonAbsent
    }
  }

  var detail: String {
    switch self {
    case .user(let why), .bus(let why), .notPermitted(let why), .daemonUnresponsive(let why): why
    }
  }

  /// How long to wait before the next conversation. One with a daemon that does not answer takes its time by
  /// itself.
  var pause: Duration {
    switch self {
    case .user, .bus, .notPermitted: .seconds(30)
    case .daemonUnresponsive: .seconds(5)
    }
  }
}
