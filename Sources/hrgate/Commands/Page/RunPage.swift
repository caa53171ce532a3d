import ArgumentParser
import Bluetooth
import Foundation
import Gateway
import HealthPage
import HealthSystem

/// The page that is served beside a gateway. It neither slows nor ends the gateway: it has its own threads
/// and its own store handle.
struct RunPage: Sendable {
  private let page: @Sendable () throws -> PageServer
  private let statusStore = StatusStore()
  private let updates: AsyncStream<GatewayUpdate>
  private let person: String?
  private let complain: @Sendable (String) -> Void
  private let port: PageServer.Port
  private let opened: @Sendable (PageServer.Opening) throws -> Void

  /// - Parameters:
  ///   - choice: The gateway's store.
  ///   - adapter: `nil` for any adapter.
  ///   - radio: The radio for pairing; `nil` for that of the adapter.
  ///   - opened: Called when the page listens.
  ///   - complain: Called with the error if the page cannot be served.
  init(
    of gateway: MultiUserGateway, _ choice: StoreChoice, adapter: BluetoothAddress?,
    radio: (any PairingRadio)? = nil, port: PageServer.Port = .usual, until ending: Ending,
    opened: @escaping @Sendable (PageServer.Opening) throws -> Void = { _ in },
    complain: @escaping @Sendable (String) -> Void
  ) {
    self.port = port
    self.opened = opened
    page = { [statusStore] in
      PageServer(
        try StoreCache(choice, SystemStore(at: choice.file)), monitors: PageMonitors(statusStore),
        radio: PageRadio(choice, adapter: adapter, radio: radio),
        version: HRGate.configuration.version, isGateways: true,
        // The gateway stores the measurements in the inbox itself.
        afterUnlock: { _ in })
    }
    updates = gateway.updates()
    person = gateway.person
    self.ending = ending
    self.complain = complain
  }

  /// Limits how long the end of the run waits for pending responses. A response that hangs on its store is
  /// abandoned; no data can be lost.
  private let ending: Ending

  /// Serves from the time the gateway runs on the store until the run ends. A gateway that waits for another
  /// one leaves the page to it. A damaged store is not served, and a locked one not before it is unlocked.
  func run() async {
    var serving: Task<Void, Never>?
    var isEnrolled = false
    for await update in updates {
      statusStore.put(GatewayStatus(update.state))
      let event = update.event
      if case .enrolled = event.event, event.person == person { isEnrolled = true }
      guard isEnrolled, serving == nil, update.state.accounts[person]?.isSealing != true else { continue }
      // Not a child task: a request that hangs would delay the end of the run.
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
      try? await Task.sleep(for: ending.timeout)
      end.finish()
    }
    // Wait in a new task. The surrounding task is already canceled, so it would not wait for the stream.
    await Task { for await _ in ends {} }.value
    for task in [ended, waiting] { task.cancel() }
  }

  private func serve() async {
    do {
      try await page().run(port: port, socketsIn: PageSockets.folder) { opening in
        try opened(opening)
        if let failure = opening.socketFailure {
          complain("the page is served, but hrgate page cannot find it: \(failure)")
        }
      }
    } catch is CancellationError {
      // Canceled, because the run has ended.
    } catch {
      complain("the page cannot be served: \(error.localizedDescription)")
    }
  }
}
