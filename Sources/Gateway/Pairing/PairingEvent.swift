public import BlueZ
public import Bluetooth
public import Foundation

/// A step of the pairing, or a notice for the user.
public enum PairingEvent: Hashable, Sendable {
  case step(PairingStep)
  /// Bonding was attempted and failed.
  case notBonded(reason: String)
  /// The monitor has a private address and no identity address. When its address changes, it is no longer
  /// recognized and must be paired again.
  case privateAddress(BluetoothAddress, Bonding)
  /// The monitor already belongs to this person (`nil` for the user of this account), and stays there.
  case keptPerson(BluetoothAddress, String?)
  /// The monitor was moved from these people to another person. `nil` is the user of this account.
  case changedPerson(BluetoothAddress, from: [String?], to: String?)
  /// The monitor was in the store with a private address, which its identity address has replaced.
  case replaced(former: BluetoothAddress, by: BluetoothAddress)
}

/// A monitor that was paired, and the store to which it was added.
public struct PairedMonitor: Sendable {
  public var monitor: EnrolledMonitor
  /// The person to whom the store belongs; `nil` for the user of this account.
  public var person: String?
  public var registry: MonitorRegistry
}

/// The file of a person's store.
public struct PersonStore: Hashable, Sendable {
  /// The person to whom the store belongs; `nil` for the user of this account.
  public var person: String?
  /// The path of the SQLite file.
  public var path: String

  public init(person: String?, path: String) {
    self.person = person
    self.path = path
  }
}

/// A store that contains a given monitor.
public struct MonitorHolder: Sendable {
  /// The person to whom the store belongs; `nil` for the user of this account.
  public var person: String?
  public var registry: MonitorRegistry
}

/// What happened to the bond when a monitor was removed.
public enum BondRemoval: Hashable, Sendable {
  case removed
  /// bluetoothd did not know the monitor.
  case notKnown
  /// Another program is subscribed to the monitor, so this host keeps it and its bond.
  case leftToOthers
  /// Bluetooth is not available, so this host keeps the monitor and its bond.
  case unavailable(BlueZUnavailableError)

  init(_ outcome: ForgetOutcome) {
    switch outcome {
    case .forgotten: self = .removed
    case .notKnown: self = .notKnown
    case .leftToOthers: self = .leftToOthers
    }
  }
}

/// A monitor was removed from the store, but its bond could not be removed.
public struct BondRemovalError: LocalizedError, CustomStringConvertible {
  public var address: BluetoothAddress
  /// The error that occurred while removing the bond.
  public var reason: any Error

  public var description: String {
    "\(address) was removed from hrgate, but bluetoothd still has its bond: \(reason)"
  }
  public var errorDescription: String? { description }
}

/// A failure to ensure that a monitor belongs to only one person.
public enum MonitorOwnershipError: LocalizedError, Hashable, CustomStringConvertible {
  /// A person's store cannot be read, so it may contain the monitor.
  case unreadableStore(of: String?, reason: String)
  /// The monitor cannot be removed from another person's store, so it stays there.
  case notMoved(BluetoothAddress, reason: String)

  public var description: String {
    switch self {
    case .unreadableStore(let person, let reason):
      "\(person ?? "the owner")'s store cannot be read, so hrgate does not know whether the monitor is theirs: \(reason)"
    case .notMoved(let address, let reason):
      "\(address) still belongs to the same person as before, because their store cannot be changed: \(reason)"
    }
  }
  public var errorDescription: String? { description }
}
