import ArgumentParser
import Bluetooth
import Foundation
import Gateway
import GatewayBus
import HealthPage
import HealthSystem

/// The page, served beside a gateway, which it neither slows nor ends: it answers on threads of its own, and
/// has its own handle on the store.
struct RunPage: Sendable {
  private let page: PageServer
  private let board = StatusBoard()
  private let events: AsyncStream<TimedGatewayEvent>
  private let person: String?
  private let complain: @Sendable (String) -> Void

  /// - Parameters:
  ///   - choice: The store of the gateway, which is there.
  ///   - adapter: `nil` for any.
  ///   - complain: Gets the reason why there is no page.
  /// - Throws: What keeps the store from being opened.
  init(
    of gateway: HouseholdGateway, _ choice: StoreChoice, adapter: BluetoothAddress?,
    complain: @escaping @Sendable (String) -> Void
  ) throws {
    page = PageServer(
      try StoreShelf(choice, SystemStore(at: choice.file)), monitors: PageMonitors(board),
      radio: PageRadio(choice, adapter: adapter), version: HRGate.configuration.version, isGateways: true)
    events = gateway.timedEvents()
    person = gateway.person
    self.complain = complain
  }

  /// Serves until the run is over.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await serve() }
      var state = RunState(of: person)
      for await event in events {
        state.receive(event)
        // Of a gateway that waits for another the other one tells.
        board.put(state.waiting == nil ? GatewayStatus(state) : nil)
      }
      group.cancelAll()
    }
  }

  private func serve() async {
    do {
      try await page.run(port: .usual, socketsIn: PageSockets.folder) { opening in
        if let failure = opening.socketFailure {
          complain("the page is served, and hrgate page does not find it: \(failure)")
        }
      }
    } catch is CancellationError {
      // At the end.
    } catch {
      complain("the page is not served: \(error.localizedDescription)")
    }
  }
}
