internal import Synchronization

/// A wake-up signal for one waiting task.
///
/// Any thread can ring it. A ring without a waiting task is kept for the next wait, and several rings count
/// as one.
final class Bell: Sendable {
  private enum State {
    case silent
    case rung
    case awaited(CheckedContinuation<Void, Never>)
  }

  private let state = Mutex(State.silent)

  func ring() {
    let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard case .awaited(let waiter) = state else {
        state = .rung
        return nil
      }
      state = .silent
      return waiter
    }
    waiter?.resume()
  }

  /// Returns when the bell rings, at the deadline, or when the task is canceled.
  func wait(until deadline: ContinuousClock.Instant?) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait() }
      if let deadline { group.addTask { try? await Task.sleep(until: deadline, clock: .continuous) } }
      await group.next()
      group.cancelAll()
    }
  }

  private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let mustWait = state.withLock { state in
          if case .rung = state {
            state = .silent
            return false
          }
          // The task was canceled before it began to wait.
          if Task.isCancelled { return false }
          state = .awaited(waiter)
          return true
        }
        if !mustWait { waiter.resume() }
      }
    } onCancel: {
      let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
        guard case .awaited(let waiter) = state else { return nil }
        state = .silent
        return waiter
      }
      waiter?.resume()
    }
  }
}
