public import BlueZ
public import Bluetooth
public import Foundation

/// A step of pairing, or a notice for the user.
public enum PairingEvent: Hashable, Sendable {
  case step(PairingStep)
  /// Bonding was tried and failed.
  case notBonded(reason: String)
  /// The monitor has a private address. When that address changes, the monitor is not recognized and must be
  /// paired again.
  case privateAddress(BluetoothAddress, Bonding)
  /// The monitor belongs to this person already (`nil` is the owner), and stays there.
  case keptPerson(BluetoothAddress, String?)
  /// The monitor moves from the stores of these people to another one's. `nil` is the owner.
  case changedPerson(BluetoothAddress, from: [String?], to: String?)
  /// The monitor was enrolled under a private address. Its identity address replaces it.
  case replaced(former: BluetoothAddress, by: BluetoothAddress)
}

/// A monitor that has been paired, and the store in which it is enrolled.
public struct PairedMonitor: Sendable {
  public var monitor: EnrolledMonitor
  /// The person whose store it is; `nil` for the owner.
  public var person: String?
  public var registry: MonitorRegistry
}

/// The file of a person's store.
public struct PersonStore: Hashable, Sendable {
  /// `nil` for the owner.
  public var person: String?
  /// The path of the SQLite file.
  public var path: String

  public init(person: String?, path: String) {
    self.person = person
    self.path = path
  }
}

/// A store in which a monitor is enrolled.
public struct MonitorHolder: Sendable {
  /// The person whose store it is; `nil` for the owner.
  public var person: String?
  public var registry: MonitorRegistry
}

/// What happened to the bond of a monitor that was forgotten.
public enum BondRemoval: Hashable, Sendable {
  case removed
  /// The host did not know the monitor.
  case notKnown
  /// Another program follows the monitor, so the host keeps it and its bond.
  case leftToOthers
  /// The host cannot be asked, so it keeps the monitor and its bond.
  case unavailable(BlueZUnavailableError)

  init(_ outcome: ForgetOutcome) {
    switch outcome {
    case .forgotten: self = .removed
    case .notKnown: self = .notKnown
    case .leftToOthers: self = .leftToOthers
    }
  }
}

/// The error of a monitor that is no longer enrolled while its bond remains.
public struct BondRemovalError: LocalizedError, CustomStringConvertible {
  public var address: BluetoothAddress
  /// The error of the radio.
  public var reason: any Error

  public var description: String {
    "\(address) is no longer enrolled, but bluetoothd still remembers it, with its bond: \(reason)"
  }
  public var errorDescription: String? { description }
}

/// An error that keeps a monitor from being assigned to one person.
public enum MonitorOwnershipError: LocalizedError, Hashable, CustomStringConvertible {
  /// A store cannot be read, so it is not known whether the monitor belongs to that person.
  case unreadableStore(of: String?, reason: String)
  /// The monitor cannot be removed from the store that has it, so it stays there.
  case notMoved(BluetoothAddress, reason: String)

  public var description: String {
    switch self {
    case .unreadableStore(let person, let reason):
      "\(person ?? "the owner")'s store cannot be read, so it is not known whether the monitor is theirs: \(reason)"
    case .notMoved(let address, let reason): "\(address) stays with its current owner: \(reason)"
    }
  }
  public var errorDescription: String? { description }
}
