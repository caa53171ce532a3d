import ArgumentParser
import Bluetooth
import Foundation
import Gateway
import HealthPage
import HealthSystem

/// The page, served beside a gateway, which it neither slows nor ends: it answers on threads of its own, and
/// has its own handle on the store.
struct RunPage: Sendable {
  private let page: @Sendable () throws -> PageServer
  private let board = StatusBoard()
  private let updates: AsyncStream<GatewayUpdate>
  private let person: String?
  private let complain: @Sendable (String) -> Void

  /// - Parameters:
  ///   - choice: The store of the gateway.
  ///   - adapter: `nil` for any.
  ///   - complain: Gets the reason why there is no page.
  init(
    of gateway: HouseholdGateway, _ choice: StoreChoice, adapter: BluetoothAddress?, until ending: Ending,
    complain: @escaping @Sendable (String) -> Void
  ) {
    page = { [board] in
      PageServer(
        try StoreShelf(choice, SystemStore(at: choice.file)), monitors: PageMonitors(board),
        radio: PageRadio(choice, adapter: adapter), version: HRGate.configuration.version, isGateways: true)
    }
    updates = gateway.updates()
    person = gateway.person
    self.ending = ending
    self.complain = complain
  }

  /// Says how long an answer that is under way is waited for at the end of the run. One that hangs on its
  /// store is left behind: it has nothing that could be lost.
  private let ending: Ending

  /// Serves until the run is over, as soon as the gateway runs on the store. One that waits for another
  /// leaves the page to that one, and a store that is damaged is left alone.
  func run() async {
    var serving: Task<Void, Never>?
    for await update in updates {
      board.put(GatewayStatus(update.state))
      let event = update.event
      guard case .enrolled = event.event, event.person == person, serving == nil else { continue }
      // No child: one that hangs would keep the run from its end.
      serving = Task { await serve() }
    }
    guard let serving else { return }
    serving.cancel()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let ended = Task {
      await serving.value
      end.finish()
    }
    let waiting = Task {
      try? await Task.sleep(for: ending.patience)
      end.finish()
    }
    // Whoever waits was cancelled, and so would be a loop over the ends.
    await Task { for await _ in ends {} }.value
    for task in [ended, waiting] { task.cancel() }
  }

  private func serve() async {
    do {
      try await page().run(port: .usual, socketsIn: PageSockets.folder) { opening in
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
