import Bluetooth
import DBus

/// The reason why bluetoothd cannot be used although the D-Bus daemon is running, with the error message.
enum BusAccessFailure: Hashable, Sendable {
  /// The bus rejects this user.
  case user(String)
  /// The bus rejects a basic request, for example because there are too many clients or match rules.
  case bus(String)
  /// The policy of the bus does not allow this user to call bluetoothd.
  case notPermitted(String)
  /// bluetoothd owns its name but does not respond.
  case daemonUnresponsive(String)

  init(_ error: any Error) {
    let why = "\(error)"
    switch (error as? BusError).map({ BlueZError($0).meaning }) {
    case .noAnswer: self = .daemonUnresponsive(why)
    case .notPermitted: self = .notPermitted(why)
    default: self = .bus(why)
    }
  }

  /// Creates the reason from the error of opening the bus.
  ///
  /// - Returns: `nil` if the bus is not running.
  init?(opening error: BusError) {
    guard error.refusesUser else { return nil }
    self = .user("\(error.message). \(BusAccessAdvice.remedy)")
  }

  var state: FollowState {
    switch self {
    case .user: .notPermitted
    case .bus: .busAbsent
    case .notPermitted: .notPermitted
    case .daemonUnresponsive: .daemonUnresponsive
    }
  }

  /// The cause to report for the gap in the measurements.
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

  /// The pause before the next attempt. It is short for an unresponsive bluetoothd, because each attempt
  /// already takes long.
  var pause: Duration {
    switch self {
    case .user, .bus, .notPermitted: .seconds(30)
    case .daemonUnresponsive: .seconds(5)
    }
  }
}
