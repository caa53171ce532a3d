public import Bluetooth
public import DBus

/// The state of bluetoothd, its adapters and its bonds, for diagnosis. Reading it has no side effects: it
/// does not start a discovery, a connection or bluetoothd.
public struct BlueZInspection: Hashable, Sendable {
  /// A Bluetooth adapter that bluetoothd manages.
  public struct Adapter: Hashable, Sendable {
    /// For example `hci0`.
    public let name: String
    /// Whether the adapter is switched on.
    public let isPowered: Bool
    /// Whether a discovery was running at every check until the timeout.
    public var isDiscoveringForGood: Bool
  }

  /// The version of bluetoothd, for example `5.66`; `nil` if no adapter reports it.
  public let version: String?
  public var adapters: [Adapter]
  /// The addresses of bonded peripherals.
  public let bonds: Set<BluetoothAddress>

  /// Default time after which a running discovery counts as permanent. hrgate's own discoveries are shorter.
  public static let timeout = Duration.seconds(20)

  /// Reads the state of bluetoothd, repeatedly until all discoveries have ended or the timeout has passed.
  ///
  /// - Parameter timeout: How long a discovery may run.
  /// - Throws: ``BlueZUnavailableError``, `CancellationError`.
  public static func look(
    bus: BusAddress = .system, timeout: Duration = Self.timeout
  ) async throws -> BlueZInspection {
    let connection: BusConnection
    do throws(BusError) {
      connection = try await BusConnection.open(bus)
    } catch {
      throw BlueZUnavailableError(opening: error)
    }
    do {
      let found = try await look(over: connection, timeout)
      await connection.close()
      return found
    } catch {
      await connection.close()
      throw error
    }
  }

  private static func look(
    over connection: BusConnection, _ timeout: Duration
  ) async throws -> BlueZInspection {
    do {
      // Check the name first, because a call would make the bus daemon start bluetoothd.
      guard try await connection.nameOwner(BlueZInterface.service) != nil else {
        throw BlueZUnavailableError.daemonAbsent
      }
      let session = BlueZSession(connection: connection)
      var found = BlueZInspection(try await session.snapshot())
      let deadline = ContinuousClock.now + timeout
      while found.adapters.contains(where: \.isDiscoveringForGood), ContinuousClock.now < deadline {
        try await ContinuousClock().sleep(for: .milliseconds(500))
        let discovering = Set(try await session.snapshot().adapters.filter(\.isDiscovering).map(\.path.name))
        for place in found.adapters.indices where !discovering.contains(found.adapters[place].name) {
          found.adapters[place].isDiscoveringForGood = false
        }
      }
      return found
    } catch let error as BusError {
      throw BlueZUnavailableError(error)
    } catch let error as BlueZError {
      switch error.meaning {
      case .daemonAbsent: throw BlueZUnavailableError.daemonAbsent
      case .noAnswer: throw BlueZUnavailableError.notAnswering
      case .notPermitted: throw BlueZUnavailableError.notPermitted(error.message)
      default: throw BlueZUnavailableError.refused(error.description)
      }
    }
  }

  init(_ tree: ObjectTree) {
    version = tree.adapters.lazy.compactMap(\.daemonVersion).first
    adapters = tree.adapters.map {
      Adapter(name: $0.path.name, isPowered: $0.isPowered, isDiscoveringForGood: $0.isDiscovering)
    }
    bonds = Set(tree.devices.filter(\.isPaired).map(\.address))
  }
}

extension ObjectPath {
  fileprivate var name: String { String(lastComponent) }
}

extension Adapter1 {
  /// The version of bluetoothd. Its default modalias is `usb:v1D6Bp0246d0542`: the Linux Foundation, BlueZ,
  /// 5.66.
  var daemonVersion: String? {
    guard let match = modalias?.firstMatch(of: #/^usb:v1D6Bp0246d([0-9A-F]{2})([0-9A-F]{2})$/#),
      let major = Int(match.1, radix: 16), let minor = Int(match.2, radix: 16)
    else { return nil }
    return "\(major).\(minor)"
  }
}
