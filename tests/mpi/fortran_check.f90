! The Fortran module: parts of arrays on ranks give the answers for the whole arrays, and failures their status.
program fortran_check
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int64_t
  use mpi
  use monofold_ranks
  implicit none

  integer, parameter :: n = 10007, fields = 5
  real(c_double) :: x(n), y(n), grid(n, fields), area(n), sums(fields), wanted(fields)
  real(c_float) :: z(n)
  logical :: sea(n)
  integer(c_int64_t) :: place
  integer :: rank, ranks, code, failed, i, first, last

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  failed = 0
  do i = 1, n
    x(i) = (mod(i*7919, 1009) - 500)*2d0**mod(i, 80)
    y(i) = 1d0/i
    z(i) = real(x(i)*2d0**(-40), c_float)
    area(i) = sqrt(real(i, c_double))
    sea(i) = mod(i, 4) /= 0
    grid(i, :) = [x(i), y(i), x(i)*y(i), 0.1d0*i, -x(i)]
  end do
  first = n*rank/ranks + 1
  last = n*(rank + 1)/ranks

  ! The same on one rank, MPI_COMM_SELF, of the whole arrays.
  associate (world => MPI_COMM_WORLD, self => MPI_COMM_SELF)
    call check(mf_sum(world, x(first:last)) == mf_sum(self, x), "sum")
    call check(mf_mean(world, x(first:last)) == mf_mean(self, x), "mean")
    call check(mf_norm2(world, x(first:last)) == mf_norm2(self, x), "norm2")
    call check(mf_sum(world, z(first:last)) == mf_sum(self, z), "sum of floats")
    call check(mf_mean(world, z(first:last)) == mf_mean(self, z), "mean of floats")
    call check(mf_norm2(world, z(first:last)) == mf_norm2(self, z), "norm2 of floats")
    call check(mf_dot(world, x(first:last), y(first:last)) == mf_dot(self, x, y), "dot")
    call check(mf_dot(world, z(first:last), z(first:last)) == mf_dot(self, z, z), "dot of floats")
    call check(mf_min(world, x(first:last)) == minval(x), "min")
    call check(mf_max(world, x(first:last), place=place) == maxval(x), "max")
    call check(place == maxloc(x, 1), "the place of the maximum")
    call check(mf_min(world, z(first:last), place=place) == minval(z), "min of floats")
    call check(mf_max(world, z(first:last)) == maxval(z), "max of floats")
    call check(place == minloc(z, 1), "the place of the minimum")
    ! The value itself: all of it cancels but one.
    call check(mf_sum(world, [2d0**80, 1d0, -2d0**80]) == ranks, "a sum that cancels")

    call mf_sum_fields(world, grid(first:last, :), sums)
    do i = 1, fields
      wanted(i) = mf_sum(self, grid(:, i))
    end do
    call check(all(sums == wanted), "sums of fields")
    call mf_sum_fields(world, grid(first:last, :), sums, area(first:last), sea(first:last))
    do i = 1, fields
      wanted(i) = mf_dot(self, pack(grid(:, i), sea), pack(area, sea))
    end do
    call check(all(sums == wanted), "weighted sums of fields with a mask")

    sums(1) = mf_max(world, x(1:0), status=code)
    call check(code == 1, "no items")
    sums(1) = mf_dot(world, x(1:2), y(1:merge(2, 1, rank > 0)), status=code)
    call check(code == 4, "arrays of two lengths on one rank")
    call mf_sum_fields(world, grid(1:2, :), sums, area(1:1), status=code)
    call check(code == 4, "as many weights as items")
  end associate

  call MPI_Allreduce(MPI_IN_PLACE, failed, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  call MPI_Finalize(code)
  if (failed /= 0) error stop 1

contains

  subroutine check(holds, name)
    logical, intent(in) :: holds
    character(*), intent(in) :: name
    if (holds) return
    failed = failed + 1
    write (*, '(a, i0, 2a)') "rank ", rank, ": ", name
  end subroutine

end program fortran_check
