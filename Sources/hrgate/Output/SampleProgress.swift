import Synchronization

/// Progress bar for a known number of samples, usable from a read closure.
final class SampleProgress: Sendable {
  private struct State {
    var bar: ProgressBar
    var done = 0
  }

  private let total: Int
  private let state: Mutex<State>

  init(_ label: String, of total: Int) {
    self.total = total
    state = Mutex(State(bar: ProgressBar(label)))
  }

  func advance() {
    state.withLock { state in
      state.done += 1
      if state.done.isMultiple(of: 1000) { draw(&state) }
    }
  }

  func show(_ done: Int) {
    state.withLock { state in
      state.done = done
      draw(&state)
    }
  }

  private func draw(_ state: inout State) {
    state.bar.show(done: Int64(state.done), of: Int64(total), "\(state.done) of \(total) samples")
  }

  func end() { state.withLock { $0.bar.end() } }
}
